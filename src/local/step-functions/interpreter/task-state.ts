import type { StateOf } from '../definition/machine.ts'
import { type Document, isTooLarge, toDocument } from '../document.ts'
import { type Failure, StateFailed } from '../errors.ts'
import type { InvocationOutcome } from '../lambda.ts'
import { evaluateField, evaluateWholeNumber } from './evaluate-field.ts'
import type { Thread, Work } from './execution.ts'
import { lambdaRequest, resourceOf, taskEvents } from './lambda-task.ts'
import { leaveState, ownExit, tooLarge } from './leave-state.ts'
import { record, type Transition } from './transition.ts'

/** Starts an attempt: the events that it is scheduled and started, and the request, which is sent once this is committed. */
export async function performTask(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
): Promise<void> {
  const { execution, services, nowMs } = transition
  const resource = resourceOf(state)
  const waitsForToken = resource.kind === 'lambda-invoke' && resource.waitsForToken
  const token = waitsForToken ? services.createToken(execution.arn, thread.id) : undefined
  const extras = token === undefined ? {} : { token }
  const argument =
    state.Arguments === undefined
      ? thread.data.input.value
      : await evaluateField(transition, thread, state, state.Arguments, 'Arguments', extras)
  const timeoutSeconds = await seconds(transition, thread, state, 'TimeoutSeconds')
  const heartbeatSeconds = await seconds(transition, thread, state, 'HeartbeatSeconds')
  const argumentText = JSON.stringify(argument)
  if (isTooLarge(argumentText)) throw tooLarge(state.Resource)
  const request = lambdaRequest(resource, argument)
  const events = taskEvents(resource)
  const scheduledEventId = record(transition, thread, events.scheduled, {
    ...events.scheduledDetails(argumentText, services.region),
    ...(timeoutSeconds === undefined ? {} : { timeoutInSeconds: timeoutSeconds }),
    ...(heartbeatSeconds === undefined ? {} : { heartbeatInSeconds: heartbeatSeconds }),
  })
  record(transition, thread, events.started, events.common)
  const after = (durationSeconds: number | undefined) =>
    durationSeconds === undefined ? undefined : nowMs + durationSeconds * 1_000
  const work: Work = {
    scheduledEventId,
    request,
    token,
    submitted: false,
    timeoutAtMs: after(timeoutSeconds),
    heartbeatSeconds,
    heartbeatAtMs: after(heartbeatSeconds),
  }
  thread.phase = { kind: 'working', work }
}

async function seconds(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  field: 'TimeoutSeconds' | 'HeartbeatSeconds',
): Promise<number | undefined> {
  const template = state[field]
  return template === undefined
    ? undefined
    : evaluateWholeNumber(transition, thread, state, template, field, 1)
}

/** The function answered: a task without token is over, one with a token begins to wait for it. Throws `StateFailed`. */
export async function taskInvoked(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  work: Work,
  outcome: InvocationOutcome,
): Promise<void> {
  const events = taskEvents(resourceOf(state))
  if (outcome.kind === 'failed') {
    const notTaken = work.token !== undefined && outcome.by === 'service'
    throw taskFailed(
      transition,
      thread,
      notTaken ? 'TaskSubmitFailed' : events.failed,
      events.common,
      outcome.failure,
    )
  }
  const result = toDocument(events.result(outcome.result))
  if (isTooLarge(result.text))
    throw taskFailed(transition, thread, events.failed, events.common, tooLarge(state.Resource).failure)
  if (work.token === undefined) return taskSucceeded(transition, thread, state, result)
  record(transition, thread, 'TaskSubmitted', { ...events.common, ...outputDetails(result) })
  thread.phase = { kind: 'working', work: { ...work, submitted: true } }
}

/** The task has its result. Throws `StateFailed` where the state's Output or Assign does. */
export async function taskSucceeded(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  result: Document,
): Promise<void> {
  const events = taskEvents(resourceOf(state))
  record(transition, thread, events.succeeded, { ...events.common, ...outputDetails(result) })
  await leaveState(transition, thread, state, ownExit(state, result), { result: result.value })
}

/** Whoever holds the token said that the task failed. Always throws. */
export async function tokenFailed(transition: Transition, thread: Thread, failure: Failure): Promise<void> {
  throw taskFailed(
    transition,
    thread,
    'TaskFailed',
    { resourceType: 'lambda', resource: 'invoke.waitForTaskToken' },
    failure,
  )
}

/** A deadline of the task has passed. Always throws. */
export async function taskTimedOut(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  work: Work,
): Promise<void> {
  const { timedOut, common } = taskEvents(resourceOf(state))
  const heartbeatLost = work.heartbeatAtMs !== undefined && work.heartbeatAtMs <= transition.nowMs
  // AWS names a lost heartbeat States.Timeout in the history, and lets rules for States.HeartbeatTimeout match.
  const alias = heartbeatLost ? { alias: 'States.HeartbeatTimeout' } : {}
  throw taskFailed(transition, thread, timedOut, common, {
    error: 'States.Timeout',
    cause: undefined,
    ...alias,
  })
}

function taskFailed(
  transition: Transition,
  thread: Thread,
  type: string,
  common: Record<string, unknown> | undefined,
  failure: Failure,
): StateFailed {
  const { error, cause } = failure
  record(transition, thread, type, {
    ...common,
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  })
  return new StateFailed(failure)
}

function outputDetails({ text }: Document): Record<string, unknown> {
  return { output: text, outputDetails: { truncated: false } }
}
