import type { Branch } from '../definition/machine.ts'
import { type Document, isTooLarge } from '../document.ts'
import type { Thread } from './execution.ts'
import { tooLarge } from './leave-state.ts'
import { spawn, type Transition } from './transition.ts'

/** Starts one branch of a Parallel, or the iteration of one item. */
export function startBranch(
  transition: Transition,
  parent: Thread,
  branch: Branch | undefined,
  branchIndex: number,
  input: Document,
  lastEventId: number,
): void {
  if (isTooLarge(input.text)) throw tooLarge(parent.stateName)
  if (branch === undefined) throw new Error(`The state "${parent.stateName}" has no branch ${branchIndex}`)
  const { startAt, isDistributed } = branch
  // An execution of its own does not see the variables of the one that began it.
  const variables = isDistributed ? {} : parent.data.variables
  const isQuiet = parent.isQuiet || isDistributed
  spawn(transition, {
    parentId: parent.id,
    branchIndex,
    isQuiet,
    lastEventId,
    startAt,
    data: { input, variables },
  })
}
