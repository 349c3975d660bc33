import type { StateOf } from '../definition/machine.ts'
import type { Outcome, Thread } from './execution.ts'
import { taskSucceeded, waitFailed } from './task-state.ts'
import type { Transition } from './transition.ts'

/** An execution that is over, as the task that waited for it is told. */
export interface EndedChild {
  readonly arn: string
  readonly name: string
  readonly stateMachineArn: string
  /** JSON text. */
  readonly input: string
  readonly startedMs: number
  readonly stoppedMs: number
  readonly redriveCount: number
  readonly outcome: Outcome
}

/** The execution that a task waits for has ended, and the task with it. Throws `StateFailed` when it did not succeed. */
export async function childEnded(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  child: EndedChild,
): Promise<void> {
  const described = describeChild(child)
  if (child.outcome.status === 'SUCCEEDED') return taskSucceeded(transition, thread, state, described)
  const cause = JSON.stringify(described)
  await waitFailed(transition, thread, state, { error: 'States.TaskFailed', cause })
}

/** DescribeExecution's answer in the spelling of the SDK for Java, in which tasks get it. */
function describeChild(child: EndedChild): Record<string, unknown> {
  const { outcome } = child
  const details = { Included: true }
  return {
    ...(outcome.status === 'SUCCEEDED' || outcome.cause === undefined ? {} : { Cause: outcome.cause }),
    ...(outcome.status === 'SUCCEEDED' || outcome.error === undefined ? {} : { Error: outcome.error }),
    ExecutionArn: child.arn,
    Input: child.input,
    InputDetails: details,
    Name: child.name,
    ...(outcome.status === 'SUCCEEDED' ? { Output: outcome.output, OutputDetails: details } : {}),
    RedriveCount: child.redriveCount,
    ...(outcome.status === 'SUCCEEDED'
      ? {
          RedriveStatus: 'NOT_REDRIVABLE',
          RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
        }
      : { RedriveStatus: 'REDRIVABLE' }),
    StartDate: child.startedMs,
    StateMachineArn: child.stateMachineArn,
    Status: outcome.status,
    StopDate: child.stoppedMs,
  }
}
