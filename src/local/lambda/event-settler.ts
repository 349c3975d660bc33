import type { Clock } from '../clock.ts'
import { destinationEnvelope, type FailureCondition, type Settlement } from './destination-envelope.ts'
import type { EventQueue, NewEvent, QueuedEvent } from './event-queue.ts'
import { functionArn, LATEST } from './function-name.ts'
import type { InvocationOutcome } from './invocation-outcome.ts'
import { MAXIMUM_REQUEST_BYTES } from './invoke-request.ts'
import { asynchronousSettings, type LocalFunction, versionOf } from './local-function.ts'
import { continueTrace } from './trace.ts'

/** Ends events. What a method answers is the event that the destination gets, if there is one. */
export interface EventSettler {
  succeed(event: QueuedEvent, response: InvocationOutcome): QueuedEvent | undefined
  /** Says why in the log, too. */
  fail(event: QueuedEvent, condition: FailureCondition): QueuedEvent | undefined
}

export interface EventSettlerDependencies {
  readonly queue: EventQueue
  readonly clock: Clock
  readonly definitionOf: (event: QueuedEvent) => LocalFunction
  readonly newRequestId: () => string
  readonly log: (line: string) => void
}

export function createEventSettler(deps: EventSettlerDependencies): EventSettler {
  return {
    succeed(event, response) {
      const { onSuccess } = settingsOf(event)
      return settle(event, onSuccess, { condition: 'Success', response })
    },
    fail(event, condition) {
      deps.log(`[${event.functionName} ${event.requestId}] failed: ${reasonOf(event, condition)}`)
      const response = event.lastError && ({ kind: 'error', error: event.lastError } as const)
      return settle(event, settingsOf(event).onFailure, { condition, response })
    },
  }

  function settle(
    event: QueuedEvent,
    destination: string | undefined,
    settlement: Omit<Settlement, 'executedVersion'>,
  ): QueuedEvent | undefined {
    const record = destination === undefined ? undefined : recordFor(destination, event, settlement)
    if (record === undefined || isDeliverable(event, record)) return deps.queue.settle(event, record)
    return deps.queue.settle(event)
  }

  function recordFor(
    functionName: string,
    event: QueuedEvent,
    settlement: Omit<Settlement, 'executedVersion'>,
  ): NewEvent {
    const nowMs = deps.clock.now()
    const executedVersion = versionOf(deps.definitionOf(event), event.qualifier) ?? LATEST
    return {
      requestId: deps.newRequestId(),
      functionName,
      qualifier: undefined,
      payload: JSON.stringify(destinationEnvelope(event, { ...settlement, executedVersion }, nowMs)),
      trace: continueTrace(event.trace, functionArn(event.functionName), nowMs).header,
      receivedAtMs: nowMs,
    }
  }

  /** "Capturing records of asynchronous invocations": a record above a size limit is not delivered, which a metric counts. */
  function isDeliverable({ functionName, requestId }: QueuedEvent, record: NewEvent): boolean {
    const sizeBytes = Buffer.byteLength(record.payload)
    if (sizeBytes <= MAXIMUM_REQUEST_BYTES.Event) return true
    deps.log(
      `[${functionName} ${requestId}] not delivered to ${record.functionName}: the record has ${sizeBytes} bytes, an event at most ${MAXIMUM_REQUEST_BYTES.Event}`,
    )
    return false
  }

  function settingsOf(event: QueuedEvent) {
    return asynchronousSettings(deps.definitionOf(event), event.qualifier)
  }
}

/** What an operator reads: the error as Lambda reports it, with the stack of one that was thrown. */
function reasonOf({ lastError, attempts }: QueuedEvent, condition: FailureCondition): string {
  if (condition === 'EventAgeExceeded') return 'the event was older than its function allows'
  if (condition === 'ZeroReservedConcurrency') return 'the function reserves no concurrency'
  if (condition === 'RecursiveInvocation')
    return 'the function was invoked too often in one chain of requests'
  const { errorType = 'Error', errorMessage = '', trace = [] } = lastError ?? {}
  const times = attempts > 1 ? ` (${attempts} attempts)` : ''
  return [`${errorType}: ${errorMessage}${times}`, ...trace.slice(1)].join('\n')
}
