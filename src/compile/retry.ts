import type { StepRetry } from '../core/doer-plan.ts'
import { FAILURE_NAMES } from '../core/errors.ts'
import type { Tool } from '../core/tool.ts'
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
  MaxDelaySeconds: 5,
}

/** While an earlier delivery may still be running: sooner at first, since most end soon. */
const ASK_AGAIN = { IntervalSeconds: 5, BackoffRate: 1.25, MaxDelaySeconds: 60 } as const
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
 * A tool's step. One that changes things is claimed, and asked again while an earlier delivery may still be running, until that must be over: once,
 * or where it is idempotent as often as it is begun anew after its process died.
 */
export function toolRetry(
  { readOnly, idempotent }: Pick<Tool, 'readOnly' | 'idempotent'>,
  functionSeconds: number,
  { on, attempts }: StepRetry,
): readonly Retrier[] {
  // A try whose code goes on after its time ends its process, and what came of it is answered when the machine asks again.
  const overruns = on.includes('Timeout') ? attempts : 0
  const crashed = { ...CRASHED, MaxAttempts: CRASHED.MaxAttempts + overruns }
  const claims = readOnly ? 0 : idempotent ? 1 + crashed.MaxAttempts : 1
  if (claims === 0) return [TRANSIENT, crashed]
  const MaxAttempts = asksWithin(claims * (functionSeconds + CLAIM_SECONDS))
  return [TRANSIENT, crashed, { ErrorEquals: ['CallInProgress'], ...ASK_AGAIN, MaxAttempts }]
}

/** How often it is asked again until so much time has passed. */
function asksWithin(seconds: number): number {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds } = ASK_AGAIN
  let asks = 0
  for (let waited = 0; waited < seconds; asks += 1)
    waited += Math.min(IntervalSeconds * BackoffRate ** asks, MaxDelaySeconds)
  return asks
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
