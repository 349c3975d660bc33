import type { States } from '../asl.ts'

/** What a part of a machine comes to at worst. */
export interface Cost {
  /** In the history of the execution that runs it. */
  readonly events: number
  /** That AWS bills: each state that is entered, and each retry; those of child executions too. */
  readonly transitions: number
}

/** How a line of states ends: well, in a failure, broken off by a sibling's failure; or back at the Choice of a loop, as `again NAME`. */
export type End = 'succeeded' | 'failed' | 'interrupted' | `again ${string}`

/** One way through states, from the first to an end. */
export interface Walk {
  readonly cost: Cost
  /** Undefined: nothing more happens. */
  readonly path: Path | undefined
}

export interface Path {
  readonly visit: Visit
  readonly rest: Path | undefined
}

export type Visit = StateVisit | LoopVisit

/** A state is entered, tried as often as its Retry allows where `how` is not of a state without, and left. */
export interface StateVisit {
  readonly kind: 'state'
  readonly state: string
  readonly cost: Cost
  readonly how: How
  /** Of a Map or Parallel: what its iterations or branches do, in their order. */
  readonly branches: readonly Branch[]
}

export type How =
  /** By its own Next, or a rule of a Choice; to nowhere where it ends its line well. */
  | { readonly kind: 'next'; readonly to: string | undefined }
  /** By the catcher of this index, for an expression that cannot be evaluated, a task's error or the failure of a branch. */
  | {
      readonly kind: 'caught'
      readonly catcher: number
      readonly to: string
      readonly by: 'evaluation' | 'error'
    }
  /** Its line fails. */
  | { readonly kind: 'failed'; readonly by: 'evaluation' | 'error' }
  /** It is never left. */
  | { readonly kind: 'interrupted' }

/** So many iterations that do the same, one after the other in the list, or one branch. */
export interface Branch {
  readonly scope: States
  readonly count: number
  readonly walk: Walk
  readonly end: End
}

/** A loop's Choice and body, so many times. */
export interface LoopVisit {
  readonly kind: 'loop'
  /** The name of the Choice. */
  readonly state: string
  readonly times: number
  /** Of all times together. */
  readonly cost: Cost
  readonly once: Path
}

export const NO_COST: Cost = { events: 0, transitions: 0 }

export function sum(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (all, one) => ({
      events: all.events + one.events,
      transitions: all.transitions + one.transitions,
    }),
    NO_COST,
  )
}

export function times(count: number, { events, transitions }: Cost): Cost {
  return { events: count * events, transitions: count * transitions }
}

export const prepend = (visit: Visit, { cost, path }: Walk): Walk => ({
  cost: sum([visit.cost, cost]),
  path: { visit, rest: path },
})

/** The visits of a path, in order. */
export function visitsOf(path: Path | undefined): readonly Visit[] {
  const visits: Visit[] = []
  for (let at = path; at !== undefined; at = at.rest) visits.push(at.visit)
  return visits
}
