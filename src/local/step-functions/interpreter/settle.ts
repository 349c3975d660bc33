import { branchFailed, branchSucceeded } from './branches.ts'
import type { Outcome } from './execution.ts'
import { guarded } from './fail-state.ts'
import { record, recordAfter, removeThread, stateOf, type ThreadEnd, type Transition } from './transition.ts'

/** Tells parents of the threads that ended, who may end with them, up to the execution itself. */
export async function settle(transition: Transition): Promise<void> {
  for (let end = transition.ended.shift(); end !== undefined; end = transition.ended.shift())
    await settleThread(transition, end)
}

async function settleThread(transition: Transition, end: ThreadEnd): Promise<void> {
  const { execution } = transition
  const { thread } = end
  if (thread.parentId === undefined || isFatal(end)) return endRoot(transition, end)
  const parent = execution.threads.get(thread.parentId)
  if (parent === undefined) throw new Error(`Thread ${thread.id} has no parent ${thread.parentId}`)
  const state = stateOf(execution, parent)
  if (state.Type !== 'Map' && state.Type !== 'Parallel')
    throw new Error(`${state.Type} "${state.name}" has a branch`)
  await guarded(transition, parent, () =>
    end.kind === 'failed'
      ? branchFailed(transition, parent, state, thread, end.failure)
      : branchSucceeded(transition, parent, state, thread, end.output),
  )
}

/** States.Runtime ends the whole execution, past the states that a branch belongs to. */
function isFatal(end: ThreadEnd): boolean {
  return end.kind === 'failed' && end.failure.error === 'States.Runtime' && !end.thread.isQuiet
}

function endRoot(transition: Transition, end: ThreadEnd): void {
  if (end.kind === 'succeeded') {
    const { text } = end.output
    record(transition, end.thread, 'ExecutionSucceeded', {
      output: text,
      outputDetails: { truncated: false },
    })
    endExecution(transition, { status: 'SUCCEEDED', output: text })
  } else {
    const { error, cause } = end.failure
    record(transition, end.thread, 'ExecutionFailed', errorDetails(error, cause))
    endExecution(transition, { status: 'FAILED', error, cause })
  }
}

/**
 * Ends an execution from outside its states, with an event that follows none, or where the history is full the last one, as AWS has it.
 */
export function breakOff(
  transition: Transition,
  type: 'ExecutionAborted' | 'ExecutionTimedOut' | 'ExecutionFailed',
  error: string | undefined,
  cause: string | undefined,
): void {
  const status = (
    { ExecutionAborted: 'ABORTED', ExecutionTimedOut: 'TIMED_OUT', ExecutionFailed: 'FAILED' } as const
  )[type]
  const previousEventId = type === 'ExecutionFailed' ? transition.execution.eventCount : 0
  const details = type === 'ExecutionTimedOut' ? { error: 'States.Timeout' } : errorDetails(error, cause)
  recordAfter(transition, previousEventId, type, details)
  endExecution(transition, { status, error, cause })
}

function endExecution(transition: Transition, outcome: Outcome): void {
  const { execution, nowMs } = transition
  execution.ended = { outcome, stoppedMs: nowMs }
  for (const thread of [...execution.threads.values()]) removeThread(transition, thread)
}

function errorDetails(error: string | undefined, cause: string | undefined): Record<string, unknown> {
  return { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) }
}
