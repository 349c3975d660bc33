import type { ChoiceState, FailState, PassState, State, TaskState, WaitState } from '../asl.ts'
import { EVALUATION, errorCatchers, isCaught, matches } from './catchers.ts'
import type { Branch, Cost, How } from './walk.ts'

/** One way in which a state can end. Its costs are the worst of that way: every retry is used. */
export interface Outcome {
  readonly how: How
  readonly cost: Cost
  readonly branches?: readonly Branch[]
}

/** `Entered` and `Exited`, and nothing between: of Pass, Choice and Wait. */
const ENTERED_AND_EXITED: Cost = { events: 2, transitions: 1 }
/** `Entered` and `EvaluationFailed`. */
const ENTERED_AND_FAILED: Cost = { events: 2, transitions: 1 }

/**
 * The ways of a state that starts no branches. Any expression may fail: what AWS says of that is `EvaluationFailed`.
 * Types and numbers of events are those of executions recorded on AWS, as the stand-in writes them.
 */
export function outcomesOf(state: Exclude<State, { Type: 'Map' | 'Parallel' }>): readonly Outcome[] {
  switch (state.Type) {
    case 'Pass':
      return [next(state), ...(hasExpressions(state) ? [EVALUATION_FAILED] : [])]
    case 'Choice':
      return [...targetsOf(state).map((to) => through(to)), EVALUATION_FAILED]
    case 'Wait':
      return [next(state), EVALUATION_FAILED, { how: { kind: 'interrupted' }, cost: ENTERED_AND_ABORTED }]
    case 'Fail':
      return [failOutcome(state)]
    case 'Task':
      return taskOutcomes(state)
  }
}

const EVALUATION_FAILED: Outcome = {
  how: { kind: 'failed', by: 'evaluation' },
  cost: ENTERED_AND_FAILED,
}
/** `Entered`, and `WaitStateAborted`. */
const ENTERED_AND_ABORTED: Cost = { events: 2, transitions: 1 }

export const nextOf = (state: State): string | undefined => ('Next' in state ? state.Next : undefined)

const through = (to: string | undefined): Outcome => ({
  how: { kind: 'next', to },
  cost: ENTERED_AND_EXITED,
})
const next = (state: PassState | WaitState): Outcome => through(nextOf(state))

const targetsOf = ({ Choices, Default }: ChoiceState): readonly string[] => [
  ...new Set([...Choices.map(({ Next }) => Next), Default]),
]

/** Texts may be expressions, at any depth. */
const hasExpressions = ({ Assign, Output }: PassState): boolean =>
  (Assign !== undefined && Object.keys(Assign).length > 0) ||
  typeof Output === 'string' ||
  (typeof Output === 'object' && Output !== null)

/** A failing line records no more of it than that it was entered, unless its Error or Cause cannot be evaluated. */
function failOutcome(state: FailState): Outcome {
  const mayFail = [state.Error, state.Cause].some((text) => text.startsWith('{%'))
  return mayFail
    ? EVALUATION_FAILED
    : { how: { kind: 'failed', by: 'error' }, cost: { events: 1, transitions: 1 } }
}

/** Of resources that wait for a token, or for what they started. */
const WAITING = /\.(waitForTaskToken|sync(:2)?)$/

/**
 * An attempt is `TaskScheduled`, `TaskStarted` and `TaskSucceeded`, `TaskFailed` or `TaskTimedOut`, with `TaskSubmitted`
 * before the last where the service only took the request. Each rule of Retry counts its own attempts, so that all may be used.
 */
function taskOutcomes(state: TaskState): readonly Outcome[] {
  const attemptEvents = WAITING.test(state.Resource) ? 4 : 3
  const retries = state.Retry.reduce((all, { MaxAttempts }) => all + MaxAttempts, 0)
  const cost = (others: number): Cost => ({
    events: 1 + (retries + 1) * attemptEvents + failedEvaluations(state) + others,
    transitions: 1 + retries,
  })
  const uncaught = isCaught(state, EVALUATION) ? 'error' : 'evaluation'
  return [
    // TaskStateExited.
    { how: { kind: 'next', to: nextOf(state) }, cost: cost(1) },
    // The same, after EvaluationFailed where it was an expression that failed.
    ...errorCatchers(state).map(({ catcher, to, by }) => ({
      how: { kind: 'caught', catcher, to, by } as const,
      cost: cost(by === 'evaluation' ? 2 : 1),
    })),
    // EvaluationFailed or nothing; in a branch TaskStateAborted follows.
    ...(isCaught(state, 'States.ALL')
      ? []
      : [{ how: { kind: 'failed', by: uncaught } as const, cost: cost(uncaught === 'evaluation' ? 2 : 1) }]),
    // TaskStateAborted in place of what ends the last attempt.
    { how: { kind: 'interrupted' }, cost: cost(0) },
  ]
}

/** Retries after an expression failed, each with an event that says so. */
function failedEvaluations({ Retry }: TaskState): number {
  return Retry.find((rule) => matches(rule, EVALUATION))?.MaxAttempts ?? 0
}
