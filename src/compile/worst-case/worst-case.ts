import type { MapState, States } from '../asl.ts'
import type { Bounds } from './bounds.ts'
import type { Branching } from './branching.ts'
import { createSearch } from './longest.ts'
import type { End, Walk } from './walk.ts'

/** Step Functions: a Standard execution has at most 25,000 events, the one that ends it included. */
export const MAXIMUM_EVENTS = 25_000
/** Standard, us-east-1, per transition: $0.025 for 1,000 (https://aws.amazon.com/step-functions/pricing/, read in 2026). */
const DOLLARS_PER_TRANSITION = 0.000025
/** ExecutionStarted, and ExecutionSucceeded or ExecutionFailed. */
const AROUND = 2

/** The worst that can come into one history: the machine's own, or that of an iteration of a distributed Map. */
export interface History {
  /** The Map's state; undefined: the machine itself. */
  readonly map: string | undefined
  readonly scope: States
  readonly events: number
  readonly walk: Walk
  readonly end: End
}

export interface WorstCase {
  /** The machine's own first. */
  readonly histories: readonly History[]
  /** Of a run, in all its executions. */
  readonly transitions: number
  /** US dollars for those: neither Lambda nor models. */
  readonly dollars: number
}

/** The worst case of a compiled machine, from the document itself. Bounds say what it does not. */
export function worstCaseOf(machine: States, bounds: Bounds): WorstCase {
  const byEvents = createSearch(bounds, 'events')
  const scopes = [{ map: undefined, scope: machine }, ...distributedIn(machine)]
  const { transitions } = worstEnd(machine, createSearch(bounds, 'transitions')).walk.cost
  return {
    histories: scopes.map(({ map, scope }) => {
      const { walk, end } = worstEnd(scope, byEvents)
      return { map, scope, walk, end, events: walk.cost.events + AROUND }
    }),
    transitions,
    dollars: transitions * DOLLARS_PER_TRANSITION,
  }
}

function worstEnd(scope: States, search: Branching): { readonly walk: Walk; readonly end: End } {
  const walks = search.walksOf(scope)
  const succeeded = walks.get('succeeded')
  const walk = search.worse(succeeded, walks.get('failed'))
  if (walk === undefined) throw new Error('A line of states has no end')
  return { walk, end: walk === succeeded ? 'succeeded' : 'failed' }
}

interface Distributed {
  readonly map: string
  readonly scope: MapState['ItemProcessor']
}

/** The distributed Maps of a scope, those in its branches and in each other included. */
function distributedIn({ States }: States): readonly Distributed[] {
  return Object.entries(States).flatMap(([name, state]): readonly Distributed[] => {
    if (state.Type === 'Parallel') return state.Branches.flatMap(distributedIn)
    if (state.Type !== 'Map') return []
    const { ItemProcessor: scope } = state
    const inside = distributedIn(scope)
    return scope.ProcessorConfig.Mode === 'DISTRIBUTED' ? [{ map: name, scope }, ...inside] : inside
  })
}
