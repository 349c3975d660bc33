import type { Thread } from './execution.ts'
import { branchThreads, recordAfter, removeThread, stateOf, type Transition } from './transition.ts'

/** The states that AWS reports as aborted; the others are over at once. */
const ABORTABLE = new Set(['Task', 'Wait', 'Map', 'Parallel'])

/**
 * Ends what is below a thread, which goes on or fails without it: branch after branch, the inner ones first. Every event follows the
 * thread's last one.
 */
export function abortBranches(transition: Transition, parent: Thread): void {
  for (const branch of branchThreads(transition.execution, parent)) {
    if (branch.phase.kind !== 'finished') {
      abortBranches(transition, branch)
      if (!branch.isQuiet) recordAbort(transition, parent, branch)
    }
    removeThread(transition, branch)
  }
}

function recordAbort(transition: Transition, parent: Thread, branch: Thread): void {
  const { execution } = transition
  const hasFailed = branch.phase.kind === 'failed'
  if (stateOf(execution, parent).Type === 'Map')
    recordAfter(transition, parent.lastEventId, hasFailed ? 'MapIterationFailed' : 'MapIterationAborted', {
      name: parent.stateName,
      index: branch.branchIndex,
    })
  const { Type } = stateOf(execution, branch)
  // AWS says also of the Task that failed its branch that it was aborted.
  const isAborted = hasFailed ? Type === 'Task' : branch.phase.kind !== 'ready' && ABORTABLE.has(Type)
  if (isAborted) recordAfter(transition, parent.lastEventId, `${Type}StateAborted`)
}
