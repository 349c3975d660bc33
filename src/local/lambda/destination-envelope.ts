import type { QueuedEvent } from './event-queue.ts'
import { functionArn, LATEST } from './function-name.ts'
import type { InvocationOutcome } from './invocation-outcome.ts'

/** Why Lambda tries an asynchronous event no more. */
export type FailureCondition =
  | 'RetriesExhausted'
  | 'EventAgeExceeded'
  /** Recorded from AWS by LocalStack's tests: the function reserves a concurrency of 0. */
  | 'ZeroReservedConcurrency'
  /** Not recorded: the name is that of the exception. */
  | 'RecursiveInvocation'

/** How an event ended; `response` is what its last attempt came to, absent where there was none. */
export interface Settlement {
  readonly condition: 'Success' | FailureCondition
  readonly response: InvocationOutcome | undefined
  /** The version that ran. */
  readonly executedVersion: string
}

/**
 * What a destination is invoked with. Lambda's documentation, "Capturing records of asynchronous invocations". Example:
 * `{ version: '1.0', timestamp: '2026-01-01T00:00:00.000Z', requestContext: { requestId, functionArn, condition:
 * 'Success', approximateInvokeCount: 1 }, requestPayload, responseContext: { statusCode: 200, executedVersion:
 * '$LATEST' }, responsePayload }`.
 */
export function destinationEnvelope(
  event: QueuedEvent,
  { condition, response, executedVersion }: Settlement,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: functionArn(event.functionName, event.qualifier ?? LATEST),
      condition,
      approximateInvokeCount: event.attempts,
    },
    requestPayload: JSON.parse(event.payload),
    ...(response && responseOf(response, executedVersion)),
  }
}

function responseOf(response: InvocationOutcome, executedVersion: string) {
  const responseContext = { statusCode: 200, executedVersion }
  return response.kind === 'result'
    ? { responseContext, responsePayload: JSON.parse(response.json) }
    : { responseContext: { ...responseContext, functionError: 'Unhandled' }, responsePayload: response.error }
}
