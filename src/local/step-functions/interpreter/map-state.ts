import type { StateOf } from '../definition/machine.ts'
import { MAXIMUM_DISTRIBUTED_CONCURRENCY, MAXIMUM_INLINE_CONCURRENCY } from '../limits.ts'
import { finishBranching } from './branches.ts'
import { evaluateWholeNumber } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { batchItems, evaluateItems } from './map-items.ts'
import { launchIteration } from './map-iteration.ts'
import { isDistributed, startMapRun, toleratedFailures } from './map-run.ts'
import { record, type Transition } from './transition.ts'

/** Starts the iterations of a Map, as many as may run at once. */
export async function performMap(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<void> {
  const items = await evaluateItems(transition, thread, state)
  const limit = await concurrencyLimit(transition, thread, state)
  const startedEventId = record(transition, thread, 'MapStateStarted', { length: items.length })
  const tolerated = await toleratedFailures(transition, thread, state, items.length)
  thread.data = { ...thread.data, items: await batchItems(transition, thread, state, items) }
  const total = thread.data.items?.length ?? 0
  const launched = Math.min(total, limit)
  thread.phase = { kind: 'branching', total, launched, finished: 0, failed: 0, tolerated }
  const previousEventId = isDistributed(state) ? startMapRun(transition, thread, state) : startedEventId
  if (total === 0) return finishBranching(transition, thread, state)
  for (let index = 0; index < launched; index++)
    await launchIteration(transition, thread, state, index, previousEventId)
}

async function concurrencyLimit(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
): Promise<number> {
  const { MaxConcurrency = 0 } = state
  const maximum = isDistributed(state) ? MAXIMUM_DISTRIBUTED_CONCURRENCY : MAXIMUM_INLINE_CONCURRENCY
  const limit = await evaluateWholeNumber(transition, thread, state, MaxConcurrency, 'MaxConcurrency', 0)
  return limit === 0 ? maximum : Math.min(limit, maximum)
}
