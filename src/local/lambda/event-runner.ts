import type { Clock } from '../clock.ts'
import type { FailureCondition } from './destination-envelope.ts'
import type { EventQueue, NewEvent, QueuedEvent } from './event-queue.ts'
import { createEventSettler } from './event-settler.ts'
import type { RunInvocation } from './invocation.ts'
import { type InvocationOutcome, killed } from './invocation-outcome.ts'
import { asynchronousSettings, type LocalFunction } from './local-function.ts'
import type { Refusal } from './refusal.ts'

/** Runs asynchronous events from the queue until each has succeeded, or was retried in vain, and is handed on. */
export interface EventRunner {
  /** Keeps the event (when this returns, it is on disk) and runs it when there is a place. */
  submit(event: Omit<NewEvent, 'receivedAtMs'>): void
  /** Takes up what an earlier process left of these functions: the queued as they were, the running ones as crashed. */
  resume(functionNames: readonly string[]): void
  /** For a closed pool: resolves when nothing runs. What waits for its time, or for a place, stays in the queue. */
  close(): Promise<void>
}

export interface EventRunnerDependencies {
  readonly queue: EventQueue
  readonly run: RunInvocation
  readonly clock: Clock
  readonly definitionOf: (functionName: string) => LocalFunction | undefined
  readonly newRequestId: () => string
  /** Before the first retry, and before the second. */
  readonly retryDelaysMs: readonly number[]
  readonly log: (line: string) => void
}

/**
 * Lambda's documentation, "How Lambda handles errors and retries with asynchronous invocation": after throttles and
 * errors of Lambda itself an event is tried again after a second, and then ever later, at most five minutes.
 */
const FIRST_PUT_BACK_MS = 1_000
const LONGEST_PUT_BACK_MS = 300_000

export function createEventRunner(deps: EventRunnerDependencies): EventRunner {
  const { queue, clock, log, newRequestId } = deps
  const settler = createEventSettler({ queue, clock, log, newRequestId, definitionOf })
  const timers = new Set<() => void>()
  const runs = new Set<Promise<void>>()
  let closed = false

  return {
    submit: (event) => runWhenDue(queue.add({ ...event, receivedAtMs: clock.now() })),
    resume(functionNames) {
      for (const event of functionNames.flatMap((name) => queue.list(name))) {
        if (event.running) conclude(event, killed(event.requestId))
        else runWhenDue(event)
      }
    },
    async close() {
      closed = true
      for (const cancel of timers) cancel()
      await Promise.all(runs)
    },
  }

  function runWhenDue(event: QueuedEvent): void {
    if (closed) return
    const delayMs = event.dueAtMs - clock.now()
    if (delayMs <= 0) {
      start(event)
      return
    }
    const cancel = clock.setTimer(delayMs, () => {
      timers.delete(cancel)
      start(event)
    })
    timers.add(cancel)
  }

  function start(event: QueuedEvent): void {
    const running = run(event)
      .catch((error) => log(`[${event.functionName} ${event.requestId}] waits for the next start: ${error}`))
      .finally(() => runs.delete(running))
    runs.add(running)
  }

  async function run(queued: QueuedEvent): Promise<void> {
    let event = queued
    const attempt = await deps
      .run({ type: 'Event', ...queued }, () => {
        if (clock.now() > deadlineMs(queued)) return false
        event = queue.begin(queued)
        return true
      })
      .catch((error) => {
        log(`[${queued.functionName} ${queued.requestId}] could not be run and is put back: ${error}`)
        return { kind: 'broken' } as const
      })
    if (attempt.kind === 'result' || attempt.kind === 'error') conclude(event, attempt)
    else if (attempt.kind === 'skipped') fail(event, 'EventAgeExceeded')
    else if (attempt.kind === 'refused') afterRefusal(event, attempt)
    else if (attempt.kind === 'unanswered' || attempt.kind === 'broken') putBack(event)
    else if (attempt.kind === 'lost') queue.settle(event)
    // Closed: the event stays in the queue.
  }

  function conclude(event: QueuedEvent, outcome: InvocationOutcome): void {
    if (outcome.kind === 'result') {
      follow(settler.succeed(event, outcome))
      return
    }
    const { error } = outcome
    const dueAtMs = clock.now() + (deps.retryDelaysMs[event.failures] ?? deps.retryDelaysMs.at(-1) ?? 0)
    if (event.failures >= settingsOf(event).retries) fail({ ...event, lastError: error }, 'RetriesExhausted')
    else if (dueAtMs >= deadlineMs(event)) fail({ ...event, lastError: error }, 'EventAgeExceeded')
    else runWhenDue(queue.retry(event, dueAtMs, error))
  }

  function fail(event: QueuedEvent, condition: FailureCondition): void {
    follow(settler.fail(event, condition))
  }

  function follow(record: QueuedEvent | undefined): void {
    if (record !== undefined) runWhenDue(record)
  }

  function afterRefusal(event: QueuedEvent, { exception, reason }: Refusal): void {
    const isStopped = deps.definitionOf(event.functionName)?.reservedConcurrency === 0
    if (exception === 'RecursiveInvocationException') fail(event, 'RecursiveInvocation')
    else if (isStopped && reason !== undefined) fail(event, 'ZeroReservedConcurrency')
    else putBack(event)
  }

  function putBack(event: QueuedEvent): void {
    const dueAtMs = clock.now() + Math.min(FIRST_PUT_BACK_MS * 2 ** event.putBacks, LONGEST_PUT_BACK_MS)
    if (dueAtMs >= deadlineMs(event)) fail(event, 'EventAgeExceeded')
    else runWhenDue(queue.putBack(event, dueAtMs))
  }

  function deadlineMs(event: QueuedEvent): number {
    return event.receivedAtMs + settingsOf(event).maximumEventAgeSeconds * 1_000
  }

  function settingsOf(event: QueuedEvent) {
    return asynchronousSettings(definitionOf(event), event.qualifier)
  }

  function definitionOf({ functionName }: QueuedEvent): LocalFunction {
    const definition = deps.definitionOf(functionName)
    if (definition === undefined)
      throw new Error(`An event of ${functionName} was run without its definition`)
    return definition
  }
}
