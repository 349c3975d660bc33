import type { StateOf } from '../definition/machine.ts'
import { toDocument } from '../document.ts'
import { evaluateField } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { startBranch } from './start-branch.ts'
import { record, type Transition } from './transition.ts'

/** Starts the branches of a Parallel. */
export async function performParallel(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Parallel'>,
): Promise<void> {
  const input =
    state.Arguments === undefined
      ? thread.data.input
      : toDocument(await evaluateField(transition, thread, state, state.Arguments, 'Arguments'))
  const startedEventId = record(transition, thread, 'ParallelStateStarted')
  const total = state.branches.length
  thread.phase = { kind: 'branching', total, launched: total, finished: 0, failed: 0, tolerated: 0 }
  for (const [index, branch] of state.branches.entries())
    startBranch(transition, thread, branch, index, input, startedEventId)
}
