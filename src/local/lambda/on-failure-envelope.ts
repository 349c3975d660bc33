import type { QueuedEvent } from './event-queue.ts'
import { functionArn } from './local-function.ts'

/** Why Lambda tries an asynchronous event no more. */
export type GiveUpCondition = 'RetriesExhausted' | 'EventAgeExceeded'

/**
 * What an on-failure destination is invoked with. Lambda's documentation, "Capturing records of asynchronous
 * invocations": the response is that of the last attempt, and is absent when there was none.
 */
export function onFailureEnvelope(
  event: QueuedEvent,
  condition: GiveUpCondition,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${functionArn(event.functionName)}:$LATEST`,
      condition,
      approximateInvokeCount: event.attempts,
    },
    requestPayload: JSON.parse(event.payload),
    ...(event.lastError !== undefined && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: event.lastError,
    }),
  }
}
