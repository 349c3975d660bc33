import type { Execution, Outcome } from './interpreter/execution.ts'
import type { Place } from './names.ts'
import { redrivability } from './redrivability.ts'

/** What EventBridge delivers when an execution begins, is redriven or ends. Best effort, as on AWS: a killed stand-in does not make up for it. */
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
  readonly stateMachineVersionArn: string | null
  readonly stateMachineAliasArn: string | null
  readonly name: string
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'
  readonly startDate: number
  readonly stopDate: number | null
  readonly input: string
  readonly inputDetails: { readonly included: true }
  readonly output: string | null
  readonly outputDetails: { readonly included: true } | null
  readonly error: string | null
  readonly cause: string | null
  readonly redriveCount: number
  readonly redriveDate: number | null
  readonly redriveStatus: string
  readonly redriveStatusReason: string | null
}

/** The event for an execution as it stands now. */
export function statusChangeEvent(execution: Execution, place: Place, id: string): StatusChangeEvent {
  const { ended, redrive, startedMs } = execution
  const { redriveStatus, redriveStatusReason } = redrivability(
    ended?.outcome.status ?? 'RUNNING',
    execution.eventCount,
  )
  const timeMs = ended?.stoppedMs ?? redrive?.timeMs ?? startedMs
  return {
    version: '0',
    id,
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account: place.accountId,
    time: `${new Date(timeMs).toISOString().slice(0, 19)}Z`,
    region: place.region,
    resources: [execution.arn],
    detail: {
      executionArn: execution.arn,
      stateMachineArn: execution.stateMachineArn,
      stateMachineVersionArn: execution.versionArn ?? null,
      stateMachineAliasArn: execution.aliasArn ?? null,
      name: execution.name,
      startDate: startedMs,
      stopDate: ended?.stoppedMs ?? null,
      input: execution.input.text,
      inputDetails: { included: true },
      ...outcomeDetails(ended?.outcome),
      redriveCount: redrive?.count ?? 0,
      redriveDate: redrive?.timeMs ?? null,
      redriveStatus,
      redriveStatusReason: redriveStatusReason ?? null,
    },
  }
}

function outcomeDetails(
  outcome: Outcome | undefined,
): Pick<StatusChangeDetail, 'status' | 'output' | 'outputDetails' | 'error' | 'cause'> {
  const nothing = { output: null, outputDetails: null, error: null, cause: null }
  if (outcome === undefined) return { ...nothing, status: 'RUNNING' }
  const { status } = outcome
  return outcome.status === 'SUCCEEDED'
    ? { ...nothing, status, output: outcome.output, outputDetails: { included: true } }
    : { ...nothing, status, error: outcome.error ?? null, cause: outcome.cause ?? null }
}
