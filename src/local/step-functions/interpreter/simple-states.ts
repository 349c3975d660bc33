import type { StateOf } from '../definition/machine.ts'
import { parseTimestamp } from '../definition/timestamp.ts'
import { toDocument } from '../document.ts'
import { StateFailed } from '../errors.ts'
import { evaluateField, evaluateWholeNumber, evaluationFailed, unexpectedType } from './evaluate-field.ts'
import type { Thread } from './execution.ts'
import { leaveState, ownExit } from './leave-state.ts'
import type { Transition } from './transition.ts'

export async function performPass(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Pass'>,
): Promise<void> {
  const { input } = thread.data
  const otherwise = state.Result === undefined ? input : toDocument(state.Result)
  await leaveState(transition, thread, state, ownExit(state, otherwise))
}

export async function performSucceed(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Succeed'>,
): Promise<void> {
  await leaveState(transition, thread, state, ownExit(state, thread.data.input))
}

/** Always throws. */
export async function performFail(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Fail'>,
): Promise<void> {
  const text = async (template: string | undefined, location: string) => {
    if (template === undefined) return undefined
    const value = await evaluateField(transition, thread, state, template, location)
    if (typeof value !== 'string') throw unexpectedType(thread, template, location, 'string', value)
    return value
  }
  throw new StateFailed({ error: await text(state.Error, 'Error'), cause: await text(state.Cause, 'Cause') })
}

export async function performChoice(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Choice'>,
): Promise<void> {
  const { input } = thread.data
  for (const [index, rule] of state.Choices.entries()) {
    const location = `Choices[${index}]/Condition`
    const holds = await evaluateField(transition, thread, state, rule.Condition, location)
    if (typeof holds !== 'boolean') throw unexpectedType(thread, rule.Condition, location, 'boolean', holds)
    if (!holds) continue
    const exit = {
      next: rule.Next,
      output: rule.Output,
      otherwise: input,
      assign: rule.Assign,
      prefix: `Choices[${index}]/`,
    }
    return leaveState(transition, thread, state, exit)
  }
  if (state.Default === undefined)
    throw new StateFailed({
      error: 'States.Runtime',
      cause: `An error occurred while executing the state '${state.name}' (entered at the event id #${thread.enteredEventId}). Failed to transition out of the state. The state does not point to a next state.`,
    })
  return leaveState(transition, thread, state, { ...ownExit(state, input), next: state.Default })
}

/** Waits, or goes on at once when the time is past. */
export async function performWait(
  transition: Transition,
  thread: Thread,
  state: StateOf<'Wait'>,
): Promise<void> {
  const untilMs = await waitEndMs(transition, thread, state)
  if (untilMs <= transition.nowMs) return endWait(transition, thread, state)
  thread.phase = { kind: 'waiting', untilMs }
}

export async function endWait(transition: Transition, thread: Thread, state: StateOf<'Wait'>): Promise<void> {
  await leaveState(transition, thread, state, ownExit(state, thread.data.input))
}

async function waitEndMs(transition: Transition, thread: Thread, state: StateOf<'Wait'>): Promise<number> {
  if (state.Seconds !== undefined)
    return (
      transition.nowMs +
      1_000 * (await evaluateWholeNumber(transition, thread, state, state.Seconds, 'Seconds', 0))
    )
  const value = await evaluateField(transition, thread, state, state.Timestamp, 'Timestamp')
  // On AWS the line has moved to the Entered event when a Wait reads its time.
  thread.lastEventId = thread.enteredEventId
  if (typeof value !== 'string') throw unexpectedType(thread, state.Timestamp, 'Timestamp', 'string', value)
  const timeMs = parseTimestamp(value)
  if (timeMs === undefined)
    throw evaluationFailed(
      thread,
      `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${value}`,
      'Timestamp',
    )
  return timeMs
}
