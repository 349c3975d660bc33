import type { Execution } from './interpreter/execution.ts'
import type { Place } from './names.ts'

/** What EventBridge delivers when an execution has ended. Best effort, as on AWS: a killed stand-in does not make up for it. */
export interface StatusChangeEvent {
  readonly version: '0'
  readonly id: string
  readonly 'detail-type': 'Step Functions Execution Status Change'
  readonly source: 'aws.states'
  readonly account: string
  /** `2026-03-14T01:59:00Z` */
  readonly time: string
  readonly region: string
  /** The execution's ARN. */
  readonly resources: readonly [string]
  readonly detail: StatusChangeDetail
}

/** Dates are milliseconds since 1970; input and output are JSON text. */
export interface StatusChangeDetail {
  readonly executionArn: string
  readonly stateMachineArn: string
  readonly name: string
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'
  readonly startDate: number
  readonly stopDate: number
  readonly input: string
  readonly inputDetails: { readonly included: true }
  readonly output: string | null
  readonly outputDetails: { readonly included: true } | null
  readonly error: string | null
  readonly cause: string | null
}

/** Undefined while the execution runs. */
export function statusChangeEvent(
  execution: Execution,
  place: Place,
  id: string,
): StatusChangeEvent | undefined {
  if (execution.ended === undefined) return undefined
  const { outcome, stoppedMs } = execution.ended
  const succeeded = outcome.status === 'SUCCEEDED'
  return {
    version: '0',
    id,
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account: place.accountId,
    time: `${new Date(stoppedMs).toISOString().slice(0, 19)}Z`,
    region: place.region,
    resources: [execution.arn],
    detail: {
      executionArn: execution.arn,
      stateMachineArn: execution.stateMachineArn,
      name: execution.name,
      status: outcome.status,
      startDate: execution.startedMs,
      stopDate: stoppedMs,
      input: execution.input.text,
      inputDetails: { included: true },
      output: succeeded ? outcome.output : null,
      outputDetails: succeeded ? { included: true } : null,
      error: succeeded ? null : (outcome.error ?? null),
      cause: succeeded ? null : (outcome.cause ?? null),
    },
  }
}
