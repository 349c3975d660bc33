import type { State } from '../definition/machine.ts'
import type { Retrier } from '../definition/state-fields.ts'
import { toDocument } from '../document.ts'
import { type Failure, StateFailed } from '../errors.ts'
import { abortBranches } from './abort-branches.ts'
import type { Thread } from './execution.ts'
import { leaveState } from './leave-state.ts'
import { record, stateOf, type Transition } from './transition.ts'

/** Runs a part of a state; if it fails, the state fails, as its Retry and Catch decide. */
export async function guarded(
  transition: Transition,
  thread: Thread,
  part: () => Promise<void>,
): Promise<void> {
  try {
    await part()
  } catch (error) {
    if (!(error instanceof StateFailed)) throw error
    await failState(transition, thread, error.failure)
  }
}

/** A state failed: wait for the next attempt, or go where its Catch says, or end the thread. */
export async function failState(transition: Transition, thread: Thread, failure: Failure): Promise<void> {
  const state = stateOf(transition.execution, thread)
  recordEvaluation(transition, thread, failure)
  if (thread.phase.kind === 'branching') abortBranches(transition, thread)
  transition.changed.add(thread)
  if (retry(transition, thread, state, failure)) return
  const failedEventId = thread.lastEventId
  recordStateFailed(transition, thread, state)
  try {
    if (await goToCatcher(transition, thread, state, failure)) return
    endFailed(transition, thread, failure)
  } catch (error) {
    if (!(error instanceof StateFailed)) throw error
    thread.lastEventId = failedEventId
    recordEvaluation(transition, thread, error.failure)
    recordStateFailed(transition, thread, state)
    endFailed(transition, thread, error.failure)
  }
}

function recordStateFailed(transition: Transition, thread: Thread, { Type }: State): void {
  if (Type === 'Map' || Type === 'Parallel') record(transition, thread, `${Type}StateFailed`)
}

function recordEvaluation(
  transition: Transition,
  thread: Thread,
  { error, cause, evaluation }: Failure,
): void {
  if (evaluation === undefined) return
  const { location } = evaluation
  const details = { error, cause, ...(location === undefined ? {} : { location }), state: thread.stateName }
  record(transition, thread, 'EvaluationFailed', details)
}

function endFailed(transition: Transition, thread: Thread, { error, cause, alias }: Failure): void {
  // Without `evaluation`: the parent must not record it once more.
  const failure = { error, cause, ...(alias === undefined ? {} : { alias }) }
  transition.ended.push({ kind: 'failed', thread, failure })
}

function retry(transition: Transition, thread: Thread, state: State, failure: Failure): boolean {
  const rules = 'Retry' in state ? (state.Retry ?? []) : []
  const index = rules.findIndex(({ ErrorEquals }) => matches(ErrorEquals, failure))
  const rule = rules[index]
  const used = thread.retryCounts[index] ?? 0
  if (rule === undefined || used >= (rule.MaxAttempts ?? 3)) return false
  thread.retryCounts = rules.map((_, other) => (thread.retryCounts[other] ?? 0) + (other === index ? 1 : 0))
  const untilMs = transition.nowMs + delayMs(rule, used, transition.services.random)
  thread.phase = { kind: 'retrying', untilMs }
  return true
}

function delayMs(rule: Retrier, used: number, random: () => number): number {
  const {
    IntervalSeconds = 1,
    BackoffRate = 2,
    MaxDelaySeconds = Number.POSITIVE_INFINITY,
    JitterStrategy,
  } = rule
  const seconds = Math.min(IntervalSeconds * BackoffRate ** used, MaxDelaySeconds, 99_999_999)
  return Math.round(seconds * 1_000 * (JitterStrategy === 'FULL' ? random() : 1))
}

async function goToCatcher(
  transition: Transition,
  thread: Thread,
  state: State,
  failure: Failure,
): Promise<boolean> {
  const rules = 'Catch' in state ? (state.Catch ?? []) : []
  const index = rules.findIndex(({ ErrorEquals }) => matches(ErrorEquals, failure))
  const rule = rules[index]
  if (rule === undefined) return false
  const errorOutput = { Error: failure.error ?? null, Cause: failure.cause ?? defaultCause(failure) }
  const exit = {
    next: rule.Next,
    output: rule.Output,
    otherwise: toDocument(errorOutput),
    assign: rule.Assign,
    prefix: `Catch[${index}]/`,
  }
  await leaveState(transition, thread, state, exit, { errorOutput })
  return true
}

/** Recorded on AWS: a timeout's cause is empty, one that nobody gave is null. */
function defaultCause({ error }: Failure): '' | null {
  return error === 'States.Timeout' ? '' : null
}

/**
 * States.ALL is every error, States.TaskFailed each but States.Timeout; States.Runtime cannot be handled at all. That States.ALL is also
 * States.DataLimitExceeded was recorded on AWS, whose documentation denies it.
 */
function matches(errorEquals: readonly string[], { error, alias }: Failure): boolean {
  if (error === 'States.Runtime') return false
  if (errorEquals.some((name) => name === error || name === alias)) return true
  return (
    errorEquals.includes('States.ALL') ||
    (errorEquals.includes('States.TaskFailed') && error !== 'States.Timeout')
  )
}
