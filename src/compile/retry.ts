import type { StepRetry } from '../core/doer-plan.ts'
import { FAILURE_NAMES } from '../core/errors.ts'
import type { Retrier } from './asl.ts'

/** Lambda's errors that say nothing about the work; a step's claim makes a repeat harmless. */
const TRANSIENT: Retrier = {
  ErrorEquals: [
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.TooManyRequestsException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  IntervalSeconds: 1,
  MaxAttempts: 6,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
}

/** A process that died: the step's record says what a repeat may do, run again, wait, or `Interrupted`. */
const CRASHED: Retrier = {
  ErrorEquals: ['Runtime.ExitError', 'Lambda.Unknown'],
  IntervalSeconds: 1,
  MaxAttempts: 2,
  BackoffRate: 2,
}

const ASK_AGAIN_SECONDS = 5
/** So long after its function must be over a claim counts as dead, and as long again for clocks that differ. */
const CLAIM_SECONDS = 25

/** What the step itself asks for. Comes first: Step Functions takes the first that names the error. */
export function stepRetry({ on, attempts }: StepRetry): readonly Retrier[] {
  if (on.length === 0 || attempts === 1) return []
  return [
    {
      ErrorEquals: on,
      IntervalSeconds: 2,
      MaxAttempts: attempts - 1,
      BackoffRate: 2,
      MaxDelaySeconds: 300,
      JitterStrategy: 'FULL',
    },
  ]
}

/** An agent's step: only the invocation can fail for a moment. */
export const AGENT_RETRY: readonly Retrier[] = [TRANSIENT]

/**
 * A tool's step: also asked again while an earlier delivery of it may still be running, until that must be
 * over.
 */
export function toolRetry(functionSeconds: number): readonly Retrier[] {
  return [
    TRANSIENT,
    CRASHED,
    {
      ErrorEquals: ['CallInProgress'],
      IntervalSeconds: ASK_AGAIN_SECONDS,
      MaxAttempts: Math.ceil((functionSeconds + CLAIM_SECONDS) / ASK_AGAIN_SECONDS) + 1,
      BackoffRate: 1,
    },
  ]
}

/**
 * Reporting the end may be repeated whatever happened to it, but an expression that fails once fails always.
 */
export const REPORT_RETRY: readonly Retrier[] = [
  { ErrorEquals: ['States.QueryEvaluationError'], MaxAttempts: 0 },
  { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 6, BackoffRate: 2 },
]

/** Reading or writing an item does no harm a second time; what it says itself would be said again. */
export const LIST_RETRY: readonly Retrier[] = [
  { ErrorEquals: FAILURE_NAMES, MaxAttempts: 0 },
  { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 4, BackoffRate: 2, JitterStrategy: 'FULL' },
]

/** As long as `resume` may take, and the start of a cold function. */
export const REPORT_TIMEOUT_SECONDS = 75
