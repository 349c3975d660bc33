import type { StateOf } from '../definition/machine.ts'
import { type Document, isTooLarge, toDocument } from '../document.ts'
import type { Failure } from '../errors.ts'
import type { Thread } from './execution.ts'
import { failState } from './fail-state.ts'
import { leaveState, ownExit, tooLarge } from './leave-state.ts'
import { itemsIn } from './map-items.ts'
import { launchIteration } from './map-iteration.ts'
import { EXCEEDED, isDistributed } from './map-run.ts'
import { branchThreads, record, removeThread, type Transition } from './transition.ts'

type BranchingState = StateOf<'Map'> | StateOf<'Parallel'>

/** A branch ended well. Throws `StateFailed` of the parent's. */
export async function branchSucceeded(
  transition: Transition,
  parent: Thread,
  state: BranchingState,
  branch: Thread,
  output: Document,
): Promise<void> {
  const branchEventId = branch.lastEventId
  const lastEventId =
    state.Type === 'Map' && !branch.isQuiet
      ? record(transition, branch, 'MapIterationSucceeded', { name: state.name, index: branch.branchIndex })
      : branchEventId
  const end = { output, failedItems: 0, branchEventId, lastEventId }
  await branchFinished(transition, parent, state, branch, end)
}

interface BranchEnd {
  /** Undefined: it failed, and was tolerated. */
  readonly output: Document | undefined
  /** Items that failed in it. */
  readonly failedItems: number
  /** The last event of the branch's states: behind it the next iteration starts. */
  readonly branchEventId: number
  /** The branch's last event: behind it the state goes on when this was the last branch. */
  readonly lastEventId: number
}

/** A branch is over: the next iteration starts, or the state is done when it was the last. Throws `StateFailed` of the parent's. */
async function branchFinished(
  transition: Transition,
  parent: Thread,
  state: BranchingState,
  branch: Thread,
  { output, failedItems, branchEventId, lastEventId }: BranchEnd,
): Promise<void> {
  const before = branching(parent)
  branch.phase = { kind: 'finished' }
  branch.data = {
    input: toDocument(null),
    variables: {},
    ...(output === undefined ? {} : { result: output }),
  }
  transition.changed.add(branch).add(parent)
  const { total, launched } = before
  const finished = before.finished + 1
  const failed = before.failed + failedItems
  parent.phase = { ...before, launched: Math.min(launched + 1, total), finished, failed }
  if (state.Type === 'Map' && launched < total)
    return launchIteration(transition, parent, state, launched, branchEventId)
  if (finished < total) return
  if (!branch.isQuiet) parent.lastEventId = lastEventId
  return finishBranching(transition, parent, state)
}

function branching({ id, phase }: Thread) {
  if (phase.kind !== 'branching') throw new Error(`Thread ${id} has a branch but does not wait for it`)
  return phase
}

/** Every branch is over: their outputs, in order, are the state's result. Throws `StateFailed`. */
export async function finishBranching(
  transition: Transition,
  thread: Thread,
  state: BranchingState,
): Promise<void> {
  const branches = branchThreads(transition.execution, thread)
  const results = branches.flatMap(({ data }) => data.result ?? [])
  const text = `[${results.map((result) => result.text).join(',')}]`
  if (isTooLarge(text)) throw tooLarge(state.name)
  const result = { value: results.map(({ value }) => value), text }
  if (state.Type === 'Map' && isDistributed(state)) record(transition, thread, 'MapRunSucceeded')
  record(transition, thread, `${state.Type}StateSucceeded`, undefined, 'aside')
  await leaveState(transition, thread, state, ownExit(state, result), { result: result.value })
  for (const branch of branches) removeThread(transition, branch)
}

/** A branch failed: the state that it belongs to fails with it, as its Retry and Catch decide, unless a distributed Map tolerates it. */
export async function branchFailed(
  transition: Transition,
  parent: Thread,
  state: BranchingState,
  branch: Thread,
  failure: Failure,
): Promise<void> {
  if (state.Type === 'Map' && isDistributed(state))
    return distributedFailed(transition, parent, state, branch)
  parent.lastEventId = Math.max(branch.lastEventId, branch.enteredEventId)
  branch.phase = { kind: 'failed' }
  await failState(transition, parent, failure)
}

async function distributedFailed(
  transition: Transition,
  parent: Thread,
  state: StateOf<'Map'>,
  branch: Thread,
): Promise<void> {
  const { failed, tolerated } = branching(parent)
  const failedItems = itemsIn(parent, state, branch.branchIndex)
  if (failed + failedItems <= tolerated) {
    const eventId = branch.lastEventId
    const end = { output: undefined, failedItems, branchEventId: eventId, lastEventId: eventId }
    return branchFinished(transition, parent, state, branch, end)
  }
  removeThread(transition, branch)
  record(transition, parent, 'MapRunFailed', { error: EXCEEDED.error, cause: EXCEEDED.cause })
  await failState(transition, parent, EXCEEDED)
}
