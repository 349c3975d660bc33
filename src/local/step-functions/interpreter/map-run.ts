import type { StateOf } from '../definition/machine.ts'
import { type Failure, StateFailed } from '../errors.ts'
import { evaluateNumber, evaluateWholeNumber } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { record, type Transition } from './transition.ts'

/** Whether each iteration is an execution of its own on AWS. Here it runs as an inline one that leaves no events. */
export function isDistributed(state: StateOf<'Map'>): boolean {
  return state.branches[0]?.isDistributed === true
}

/** Records that the Map Run of a distributed Map has begun, under an ARN like AWS's; answers the event's id. */
export function startMapRun(transition: Transition, thread: Thread, state: StateOf<'Map'>): number {
  const { execution, services } = transition
  const machineArn = execution.stateMachineArn.replace(':stateMachine:', ':mapRun:')
  const mapRunArn = `${machineArn}/${state.Label ?? services.uuid()}:${services.uuid()}`
  return record(transition, thread, 'MapRunStarted', { mapRunArn })
}

/** How many iterations may fail. Inline, none: there AWS reads the fields and does nothing with them. */
export async function toleratedFailures(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Map'>,
  total: number,
): Promise<number> {
  const { ToleratedFailureCount: countField, ToleratedFailurePercentage: percentageField } = state
  const count =
    countField === undefined
      ? undefined
      : await evaluateWholeNumber(transition, thread, state, countField, 'ToleratedFailureCount', 0)
  const percentage =
    percentageField === undefined
      ? undefined
      : await evaluateNumber(transition, thread, state, percentageField, 'ToleratedFailurePercentage')
  if (percentage !== undefined && (percentage < 0 || percentage > 100))
    throw new StateFailed({
      error: 'States.Runtime',
      cause: `An error occurred while executing the state '${state.name}' (entered at the event id #${thread.enteredEventId}). ToleratedFailurePercentage must be between 0 and 100.`,
    })
  if (!isDistributed(state) || (count === undefined && percentage === undefined)) return 0
  const ofPercentage = percentage === undefined ? total : Math.floor((total * percentage) / 100)
  return Math.min(count ?? total, ofPercentage)
}

/** More iterations of a distributed Map failed than it tolerates. */
export const EXCEEDED: Failure = {
  error: 'States.ExceedToleratedFailureThreshold',
  cause: 'The specified tolerated failure threshold was exceeded',
}
