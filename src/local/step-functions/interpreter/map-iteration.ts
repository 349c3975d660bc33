import type { StateOf } from '../definition/machine.ts'
import { toDocument } from '../document.ts'
import type { Thread } from './execution.ts'
import { selectItem } from './map-items.ts'
import { isDistributed } from './map-run.ts'
import { startBranch } from './start-branch.ts'
import { recordAfter, type Transition } from './transition.ts'

/** Starts the iteration of one item, behind the event that made room for it. Throws `StateFailed` where ItemSelector does. */
export async function launchIteration(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
  index: number,
  previousEventId: number,
): Promise<void> {
  const item = thread.data.items?.[index]
  const input =
    state.ItemBatcher === undefined ? await selectItem(transition, thread, state, index, item) : item
  const isSilent = thread.isQuiet || isDistributed(state)
  const lastEventId = isSilent
    ? previousEventId
    : recordAfter(transition, previousEventId, 'MapIterationStarted', { name: state.name, index })
  startBranch(transition, thread, state.branches[0], index, toDocument(input), lastEventId)
}
