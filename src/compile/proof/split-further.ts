import type { Doer } from '../../core/doer.ts'
import { nodesOf, type RepeatNode } from '../../core/doer-plan.ts'
import type { Split } from '../flow/split.ts'
import { visitsOf } from '../worst-case/walk.ts'
import type { History } from '../worst-case/worst-case.ts'
import type { Attempt } from './prove-doer.ts'
import { refuseHistory } from './refuse.ts'
import { sharesOf } from './shares.ts'

/**
 * What more has to run in executions of its own since a history can become too long: fewer times of a repeat in one
 * stretch, or what takes most of the history. Throws `DefinitionError` when nothing can be split.
 */
export function splitFurther(doer: Doer, proof: Attempt, over: History, maximumEvents: number): Split {
  const { split, bounds } = proof
  const repeat = repeatOf(doer, proof, over)
  const fewer = repeat === undefined ? undefined : shorterStretch(proof, repeat, over, maximumEvents)
  if (repeat !== undefined && fewer !== undefined) return new Map([...split, [repeat.id, fewer]])
  const shares = sharesOf(over.walk.path, bounds)
  const node = shares.find((share) => share.node !== undefined)?.node
  if (node === undefined) return refuseHistory(doer, over, shares, maximumEvents)
  return new Map([
    ...split,
    [node, wholeOf(doer, node)],
    // With what is in it split, more of its times may fit again.
    ...(repeat === undefined ? [] : [[repeat.id, repeat.maximum] as const]),
  ])
}

/** The repeat of which a history is a stretch. */
function repeatOf(doer: Doer, { bounds }: Attempt, { map }: History): RepeatNode | undefined {
  const id = map === undefined ? undefined : bounds.lists.get(map)?.id
  const node = nodesOf(doer.plan).find((each) => each.id === id)
  return node?.kind === 'repeat' ? node : undefined
}

/** How many times fit, at least one; undefined where fewer do not help. */
function shorterStretch(
  { split, bounds }: Attempt,
  { id }: RepeatNode,
  { walk, events }: History,
  maximumEvents: number,
): number | undefined {
  const times = split.get(id) ?? 1
  const loop = visitsOf(walk.path).find(({ state }) => bounds.loops.get(state)?.kind === 'stretch')
  if (times === 1 || loop?.kind !== 'loop') return undefined
  const eventsOfOne = loop.cost.events / loop.times
  return Math.max(1, times - Math.ceil((events - maximumEvents) / eventsOfOne))
}

/** A repeat is tried in one stretch first. */
function wholeOf(doer: Doer, id: number): number {
  const node = nodesOf(doer.plan).find((each) => each.id === id)
  return node?.kind === 'repeat' ? node.maximum : 1
}
