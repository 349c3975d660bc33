import type { State, States } from '../asl.ts'
import type { Bounds, LoopBound } from './bounds.ts'
import {
  type Branching,
  distributedOutcomes,
  mapOutcomes,
  parallelOutcomes,
  type Walks,
} from './branching.ts'
import { type Loops, loopsOf } from './loops.ts'
import { type Outcome, outcomesOf } from './outcomes.ts'
import { type Cost, type End, NO_COST, prepend, times, type Walk } from './walk.ts'

const NOTHING_MORE: Walk = { cost: NO_COST, path: undefined }

/**
 * Finds the worst walks through the states of a scope, by events or by transitions. States of a doer's machine form no
 * circle but the loops of its repeats, each with one Choice at its head and a bound: a loop counts as its worst time
 * so often, and a last time that leaves it in the middle where that is worse than its end.
 */
export function createSearch(bounds: Bounds, by: keyof Cost): Branching {
  const known = new Map<States, Walks>()
  const search: Branching = {
    walksOf(scope) {
      const walks = known.get(scope) ?? searchScope(scope, bounds, search)(scope.StartAt)
      known.set(scope, walks)
      return walks
    },
    measure: (cost) => cost[by],
    worse: (one, other) =>
      one === undefined || (other !== undefined && other.cost[by] > one.cost[by]) ? other : one,
  }
  return search
}

function searchScope(scope: States, bounds: Bounds, search: Branching): (state: string) => Walks {
  const loops = loopsOf(scope, bounds.loops)
  const known = new Map<string, Walks>()
  const walksFrom = (name: string): Walks => {
    const loop = loops.headedBy(name)
    const walks = known.get(name) ?? (loop === undefined ? throughState(name) : throughLoop(name, loop))
    known.set(name, walks)
    return walks
  }
  const throughState = (name: string): Walks =>
    worst(
      outcomesIn(scope, name, bounds, search).map((outcome) => after(name, outcome)),
      search,
    )
  /** What follows an outcome, with the outcome before it. */
  const after = (name: string, outcome: Outcome): Walks => {
    const visit = { kind: 'state', state: name, branches: [], ...outcome } as const
    return mapWalks(following(name, outcome, loops, walksFrom), (walk) => prepend(visit, walk))
  }
  const throughLoop = (name: string, { times: most }: LoopBound): Walks => {
    const state = stateIn(scope, name)
    const onwards = 'Default' in state ? state.Default : undefined
    const outcomes = outcomesIn(scope, name, bounds, search)
    const goesOn = (outcome: Outcome) => outcome.how.kind === 'next' && outcome.how.to === onwards
    const inside = worst(
      outcomes.filter(goesOn).map((outcome) => after(name, outcome)),
      search,
    )
    const leaving = outcomes.filter((outcome) => !goesOn(outcome)).map((outcome) => after(name, outcome))
    const once = inside.get(`again ${name}`)
    const repeated = (count: number) => (walk: Walk) => repeat(name, count, once, walk)
    const midway = new Map([...inside].filter(([end]) => end !== `again ${name}`))
    return worst(
      [mapWalks(worst(leaving, search), repeated(most)), mapWalks(midway, repeated(most - 1))],
      search,
    )
  }
  // From the end, which keeps the calls shallow: states stand in the order of the plan.
  for (const name of Object.keys(scope.States).reverse()) walksFrom(name)
  return walksFrom
}

function following(name: string, { how }: Outcome, loops: Loops, walksFrom: (name: string) => Walks): Walks {
  switch (how.kind) {
    case 'failed':
    case 'interrupted':
      return ending(how.kind)
    case 'next':
    case 'caught': {
      if (how.to === undefined) return ending('succeeded')
      return loops.isBack(name, how.to) ? ending(`again ${how.to}`) : walksFrom(how.to)
    }
  }
}

const ending = (end: End): Walks => new Map([[end, NOTHING_MORE]])

function repeat(state: string, count: number, once: Walk | undefined, rest: Walk): Walk {
  if (once?.path === undefined || count === 0) return rest
  return prepend({ kind: 'loop', state, times: count, cost: times(count, once.cost), once: once.path }, rest)
}

function outcomesIn(scope: States, name: string, bounds: Bounds, search: Branching): readonly Outcome[] {
  const state = stateIn(scope, name)
  if (state.Type === 'Parallel') return parallelOutcomes(state, search)
  if (state.Type !== 'Map') return outcomesOf(state)
  const list = bounds.lists.get(name)
  if (list === undefined) throw new Error(`Nothing is known of the list of "${name}"`)
  return state.ItemProcessor.ProcessorConfig.Mode === 'DISTRIBUTED'
    ? distributedOutcomes(state, list, search)
    : mapOutcomes(state, list, search)
}

export function stateIn({ States }: States, name: string): State {
  const state = States[name]
  if (state === undefined) throw new Error(`A machine goes to the state ${name}, which it does not have`)
  return state
}

/** Of several ways the worst to each end. Before any of them, a line can be interrupted. */
function worst(ways: readonly Walks[], { worse }: Branching): Walks {
  const found = new Map<End, Walk>([['interrupted', NOTHING_MORE]])
  for (const [end, walk] of ways.flatMap((walks) => [...walks])) {
    const worstSoFar = worse(found.get(end), walk)
    if (worstSoFar !== undefined) found.set(end, worstSoFar)
  }
  return found
}

const mapWalks = (walks: Walks, change: (walk: Walk) => Walk): Walks =>
  new Map([...walks].map(([end, walk]) => [end, change(walk)]))
