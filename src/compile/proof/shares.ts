import type { Bounds } from '../worst-case/bounds.ts'
import { type Path, visitsOf } from '../worst-case/walk.ts'

/** What of a history one piece of the doer takes on the worst walk. */
export interface Share {
  /** The state, which has the name of its step; of a loop its Choice. */
  readonly state: string
  readonly events: number
  /** The node of the plan that could run in executions of its own; undefined: it cannot. */
  readonly node: number | undefined
}

/** The shares of what a walk visits, and of what stands in branches of it, the largest first. */
export function sharesOf(path: Path | undefined, { loops, lists }: Bounds): readonly Share[] {
  const shares = visitsOf(path).flatMap((visit): readonly Share[] => {
    const { state, kind, cost } = visit
    if (kind === 'loop') {
      const loop = loops.get(state)
      const inside = sharesOf(visit.once, { loops, lists }).map((share) => ({
        ...share,
        events: share.events * visit.times,
      }))
      return loop?.kind === 'whole' ? [{ state, events: cost.events, node: loop.id }] : inside
    }
    const isMap = lists.has(state) && visit.branches.length > 0
    if (isMap) return [{ state, events: cost.events, node: lists.get(state)?.id }]
    return visit.branches.length === 0
      ? [{ state, events: cost.events, node: undefined }]
      : visit.branches.flatMap(({ walk }) => sharesOf(walk.path, { loops, lists }))
  })
  return shares.toSorted((one, other) => other.events - one.events)
}
