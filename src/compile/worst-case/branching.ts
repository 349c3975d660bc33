import type { MapState, ParallelState, States } from '../asl.ts'
import { ASSUMED_ITEMS, type ListBound } from './bounds.ts'
import { errorCatchers, isCaught } from './catchers.ts'
import { nextOf, type Outcome } from './outcomes.ts'
import { type Branch, type Cost, type End, sum, times, type Walk } from './walk.ts'

/** The worst walk to each end. There is always one that is interrupted: before its first state. */
export type Walks = ReadonlyMap<End, Walk>

export interface Branching {
  walksOf(scope: States): Walks
  /** The one that costs more, by what is looked for; undefined where both are. */
  worse(one: Walk | undefined, other: Walk | undefined): Walk | undefined
  /** What is looked for, of a cost. */
  measure(cost: Cost): number
}

/** Step Functions: an inline Map runs at most 40 iterations at once. */
const INLINE_CONCURRENCY = 40

/** How the branches of a state can end together. */
interface Ways {
  readonly succeeded: readonly Branch[] | undefined
  readonly failed: readonly Branch[] | undefined
  readonly interrupted: readonly Branch[] | undefined
}

export function parallelOutcomes(state: ParallelState, branching: Branching): readonly Outcome[] {
  const lanes = state.Branches.map((scope) => ({ scope, walks: branching.walksOf(scope) }))
  const all = lanes.map(({ scope, walks }) => branchOf(scope, 1, 'succeeded', walks.get('succeeded')))
  const ways: Ways = {
    succeeded: all.every((branch) => branch !== undefined) ? all : undefined,
    failed: oneOf(lanes, 'failed', branching),
    interrupted: oneOf(lanes, 'interrupted', branching),
  }
  return outcomesOfWays(state, ways, 0)
}

interface Lane {
  readonly scope: States
  readonly walks: Walks
}

/** One branch ends so, the one of which that costs most, while the others are done or still under way. */
function oneOf(lanes: readonly Lane[], end: End, branching: Branching): readonly Branch[] | undefined {
  const others = lanes.map((lane) => unended(lane, 1, branching))
  const gain = ({ walks }: Lane, index: number): number => {
    const walk = walks.get(end)
    const instead = others[index]?.walk
    if (walk === undefined || instead === undefined) return Number.NEGATIVE_INFINITY
    return branching.measure(walk.cost) - branching.measure(instead.cost)
  }
  const gains = lanes.map(gain)
  const chosen = gains.indexOf(Math.max(...gains))
  const lane = lanes[chosen]
  const one = lane && branchOf(lane.scope, 1, end, lane.walks.get(end))
  return one && others.map((other, index) => (index === chosen ? one : other))
}

/** An inline Map: all at once at the end are as many as run at the same time; those before them have to be done. */
export function mapOutcomes(state: MapState, list: ListBound, branching: Branching): readonly Outcome[] {
  const scope = state.ItemProcessor
  const walks = branching.walksOf(scope)
  const items = list.most
  if (items === undefined) throw new Error('An inline Map has a list without a bound')
  const atOnce = Math.min(items, state.MaxConcurrency || INLINE_CONCURRENCY, INLINE_CONCURRENCY)
  const done = (count: number) => branchOf(scope, count, 'succeeded', walks.get('succeeded'))
  const last = (end: End) => {
    const one = branchOf(scope, 1, end, walks.get(end))
    if (one === undefined || items === 0) return undefined
    return [done(items - atOnce), unended({ scope, walks }, atOnce - 1, branching), one].filter(
      (branch) => branch !== undefined && branch.count > 0,
    ) as readonly Branch[] // those that are undefined are left out
  }
  const all = done(items)
  const succeeded = items === 0 ? [] : all && [all]
  // MapIterationStarted, and MapIterationSucceeded, …Failed or …Aborted.
  return outcomesOfWays(state, { succeeded, failed: last('failed'), interrupted: last('interrupted') }, 2)
}

/** A branch that is done, or was under way longest. */
function unended({ scope, walks }: Lane, count: number, branching: Branching): Branch {
  const succeeded = walks.get('succeeded')
  const interrupted = walks.get('interrupted')
  const walk = branching.worse(succeeded, interrupted)
  if (walk === undefined) throw new Error('A line of states can be interrupted before its first')
  return { scope, count, walk, end: walk === succeeded ? 'succeeded' : 'interrupted' }
}

const branchOf = (scope: States, count: number, end: End, walk: Walk | undefined): Branch | undefined =>
  walk && { scope, count, walk, end }

function outcomesOfWays(
  state: MapState | ParallelState,
  { succeeded, failed, interrupted }: Ways,
  eventsOfEach: number,
): readonly Outcome[] {
  const cost = (events: number, branches: readonly Branch[]): Cost =>
    sum([
      { events, transitions: 1 },
      ...branches.map(({ count, walk }) =>
        times(count, sum([walk.cost, { events: eventsOfEach, transitions: 0 }])),
      ),
    ])
  const outcome = (how: Outcome['how'], events: number, branches: readonly Branch[] | undefined) =>
    branches === undefined ? [] : [{ how, cost: cost(events, branches), branches }]
  const catchers = errorCatchers(state)
  return [
    // Entered, Started, Succeeded, Exited.
    ...outcome({ kind: 'next', to: nextOf(state) }, 4, succeeded),
    // The same, and EvaluationFailed and Failed, where its own Output or Assign fails.
    ...catchers.flatMap(({ catcher, to, by }) =>
      by === 'evaluation' ? outcome({ kind: 'caught', catcher, to, by }, 6, succeeded) : [],
    ),
    // Entered, Started, Failed, Exited.
    ...catchers.flatMap(({ catcher, to }) =>
      outcome({ kind: 'caught', catcher, to, by: 'error' }, 4, failed),
    ),
    ...(isCaught(state, 'States.ALL') ? [] : outcome({ kind: 'failed', by: 'evaluation' }, 5, succeeded)),
    ...(isCaught(state, 'States.ALL') ? [] : outcome({ kind: 'failed', by: 'error' }, 3, failed)),
    // Entered, Started, Aborted.
    ...outcome({ kind: 'interrupted' }, 3, interrupted),
  ]
}

/**
 * A distributed Map: of its iterations the history says nothing, and what they enter is billed all the same.
 * MapRunStarted, and MapRunSucceeded, …Failed or …Aborted, are added to what an inline one writes.
 */
export function distributedOutcomes(
  state: MapState,
  { most = ASSUMED_ITEMS }: ListBound,
  branching: Branching,
): readonly Outcome[] {
  const walks = branching.walksOf(state.ItemProcessor)
  const child = branching.worse(walks.get('succeeded'), walks.get('failed'))
  const cost = (events: number): Cost => ({
    events,
    transitions: 1 + most * (child?.cost.transitions ?? 0),
  })
  return [
    { how: { kind: 'next', to: nextOf(state) }, cost: cost(6) },
    ...errorCatchers(state).map(({ catcher, to, by }) => ({
      how: { kind: 'caught', catcher, to, by } as const,
      cost: cost(by === 'evaluation' ? 8 : 6),
    })),
    ...(isCaught(state, 'States.ALL')
      ? []
      : [{ how: { kind: 'failed', by: 'evaluation' } as const, cost: cost(7) }]),
    { how: { kind: 'interrupted' }, cost: cost(5) },
  ]
}
