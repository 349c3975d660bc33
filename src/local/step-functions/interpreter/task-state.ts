import type { StateOf } from '../definition/machine.ts'
import { type Document, isTooLarge, toDocument } from '../document.ts'
import { type Failure, StateFailed } from '../errors.ts'
import { findIntegration } from '../integrations/find-integration.ts'
import type { Integration, TaskOutcome } from '../integrations/integration.ts'
import { startedArn } from '../integrations/start-execution.ts'
import { evaluateField, evaluateWholeNumber } from './evaluate-field.ts'
import type { Thread, Work } from './execution.ts'
import { leaveState, ownExit, tooLarge } from './leave-state.ts'
import { abandonChild, record, type Transition } from './transition.ts'

/** Starts an attempt: the events that it is scheduled and started, and the request, which is sent once this is committed. */
export async function performTask(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
): Promise<void> {
  const { execution, services, nowMs } = transition
  const integration = integrationOf(state)
  const { events } = integration
  const token = integration.endsWith === 'token' ? services.createToken(execution.arn, thread.id) : undefined
  const extras = token === undefined ? {} : { token }
  const argument =
    state.Arguments === undefined
      ? thread.data.input.value
      : await evaluateField(transition, thread, state, state.Arguments, 'Arguments', extras)
  const timeoutSeconds = await seconds(transition, thread, state, 'TimeoutSeconds')
  const heartbeatSeconds = await seconds(transition, thread, state, 'HeartbeatSeconds')
  const argumentText = JSON.stringify(argument)
  if (isTooLarge(argumentText)) throw tooLarge(state.Resource)
  const request = integration.request(argument, services)
  record(transition, thread, events.scheduled, {
    ...events.scheduledDetails(argumentText, services.region),
    ...(timeoutSeconds === undefined ? {} : { timeoutInSeconds: timeoutSeconds }),
    ...(heartbeatSeconds === undefined ? {} : { heartbeatInSeconds: heartbeatSeconds }),
    ...(await credentials(transition, thread, state)),
  })
  record(transition, thread, events.started, events.common)
  const after = (durationSeconds: number | undefined) =>
    durationSeconds === undefined ? undefined : nowMs + durationSeconds * 1_000
  const work: Work = {
    attemptId: services.uuid(),
    request,
    token,
    submitted: false,
    timeoutAtMs: after(timeoutSeconds),
    heartbeatSeconds,
    heartbeatAtMs: after(heartbeatSeconds),
  }
  thread.phase = { kind: 'working', work }
}

function integrationOf(state: StateOf<'Task'>): Integration {
  const integration = findIntegration(state.Resource)
  if (integration === undefined) throw new Error(`The resource ${state.Resource} got past the checks`)
  return integration
}

/** The role under which AWS would call; here anybody may. */
async function credentials(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
): Promise<Record<string, unknown>> {
  if (state.Credentials === undefined) return {}
  const { RoleArn } = state.Credentials
  const roleArn = await evaluateField(transition, thread, state, RoleArn, 'Credentials/RoleArn')
  return { taskCredentials: { roleArn } }
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

/**
 * The service answered: with that the task is over, or begins to wait for its token or for the execution that was started. Throws
 * `StateFailed`.
 */
export async function taskInvoked(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  work: Work,
  outcome: TaskOutcome,
): Promise<void> {
  const integration = integrationOf(state)
  const { endsWith, events } = integration
  if (outcome.kind === 'failed') {
    const notTaken = endsWith !== 'answer' && outcome.by === 'service'
    throw taskFailed(
      transition,
      thread,
      notTaken ? 'TaskSubmitFailed' : events.failed,
      events.common,
      outcome.failure,
    )
  }
  if (endsWith === 'answer') return taskSucceeded(transition, thread, state, outcome.result)
  const answer = toDocument(outcome.result)
  if (isTooLarge(answer.text)) throw resultTooLarge(transition, thread, state)
  record(transition, thread, 'TaskSubmitted', { ...events.common, ...outputDetails(answer) })
  const child = endsWith === 'execution' ? { childArn: startedArn(outcome.result) } : {}
  thread.phase = { kind: 'working', work: { ...work, submitted: true, ...child } }
}

/** The service gave the task's result, in its own form. Throws `StateFailed` where the state's Output or Assign does. */
export async function taskSucceeded(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  answer: unknown,
): Promise<void> {
  await taskEnded(transition, thread, state, toDocument(integrationOf(state).result(answer)))
}

/** The task has its result. Throws `StateFailed` where the state's Output or Assign does. */
export async function taskEnded(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  result: Document,
): Promise<void> {
  if (isTooLarge(result.text)) throw resultTooLarge(transition, thread, state)
  const { events } = integrationOf(state)
  record(transition, thread, events.succeeded, { ...events.common, ...outputDetails(result) })
  await leaveState(transition, thread, state, ownExit(state, result), { result: result.value })
}

/** What the task waited for failed: whoever holds its token said so, or the execution that it started. Always throws. */
export async function waitFailed(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  failure: Failure,
): Promise<void> {
  const { failed, common } = integrationOf(state).events
  throw taskFailed(transition, thread, failed, common, failure)
}

/** A deadline of the task has passed. Always throws. */
export async function taskTimedOut(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Task'>,
  work: Work,
): Promise<void> {
  const { timedOut, common } = integrationOf(state).events
  abandonChild(transition, thread)
  const heartbeatLost = work.heartbeatAtMs !== undefined && work.heartbeatAtMs <= transition.nowMs
  // AWS names a lost heartbeat States.Timeout in the history, and lets rules for States.HeartbeatTimeout match.
  const alias = heartbeatLost ? { alias: 'States.HeartbeatTimeout' } : {}
  throw taskFailed(transition, thread, timedOut, common, {
    error: 'States.Timeout',
    cause: undefined,
    ...alias,
  })
}

function resultTooLarge(transition: Transition, thread: Thread, state: StateOf<'Task'>): StateFailed {
  const { failed, common } = integrationOf(state).events
  const name = common?.resourceType ?? state.Resource
  return taskFailed(transition, thread, failed, common, tooLarge(String(name)).failure)
}

function taskFailed(
  transition: Transition,
  thread: Thread,
  type: string,
  common: Readonly<Record<string, unknown>> | undefined,
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
