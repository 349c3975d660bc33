import type { Thread } from './execution.ts'
import { branchThreads, recordAfter, removeThread, stateOf, type Transition } from './transition.ts'

/** The states that AWS reports as aborted; the others are over at once. */
const ABORTABLE = new Set(['Task', 'Wait', 'Map', 'Parallel'])

/** Ends what still runs below a thread, which goes on or fails without it; the inner ones first. */
export function abortBranches(transition: Transition, parent: Thread): void {
  const { execution } = transition
  const isMap = stateOf(execution, parent).Type === 'Map'
  for (const branch of branchThreads(execution, parent)) {
    if (branch.phase.kind !== 'finished') {
      abortBranches(transition, branch)
      if (isMap)
        recordAfter(transition, parent.lastEventId, 'MapIterationAborted', {
          name: parent.stateName,
          index: branch.branchIndex,
        })
      const { Type } = stateOf(execution, branch)
      if (branch.phase.kind !== 'ready' && ABORTABLE.has(Type))
        recordAfter(transition, parent.lastEventId, `${Type}StateAborted`)
    }
    removeThread(transition, branch)
  }
}
