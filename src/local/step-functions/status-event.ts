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
  /** Null where it would make the event too large. */
  readonly input: string | null
  readonly inputDetails: { readonly included: boolean }
  readonly output: string | null
  readonly outputDetails: { readonly included: boolean } | null
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
      ...dataDetails(execution.input.text, ended?.outcome),
      ...outcomeDetails(ended?.outcome),
      redriveCount: redrive?.count ?? 0,
      redriveDate: redrive?.timeMs ?? null,
      redriveStatus,
      redriveStatusReason: redriveStatusReason ?? null,
    },
  }
}

/**
 * Step Functions' guide, "Automating event delivery": the input is left out when it and the output, escaped, pass 248 KiB together, and the
 * output when it does alone.
 */
const MAXIMUM_DATA_BYTES = 253_952

function dataDetails(
  input: string,
  outcome: Outcome | undefined,
): Pick<StatusChangeDetail, 'input' | 'inputDetails' | 'output' | 'outputDetails'> {
  const output = outcome?.status === 'SUCCEEDED' ? outcome.output : null
  const escapedBytes = (text: string | null) => (text === null ? 0 : Buffer.byteLength(JSON.stringify(text)))
  const hasOutput = escapedBytes(output) <= MAXIMUM_DATA_BYTES
  const hasInput = escapedBytes(input) + escapedBytes(output) <= MAXIMUM_DATA_BYTES
  return {
    input: hasInput ? input : null,
    inputDetails: { included: hasInput },
    output: hasOutput ? output : null,
    outputDetails: output === null ? null : { included: hasOutput },
  }
}

function outcomeDetails(
  outcome: Outcome | undefined,
): Pick<StatusChangeDetail, 'status' | 'error' | 'cause'> {
  if (outcome === undefined) return { status: 'RUNNING', error: null, cause: null }
  if (outcome.status === 'SUCCEEDED') return { status: outcome.status, error: null, cause: null }
  return { status: outcome.status, error: outcome.error ?? null, cause: outcome.cause ?? null }
}
