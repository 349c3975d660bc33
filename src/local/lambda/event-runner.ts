import type { Clock } from '../clock.ts'
import type { EventQueue, QueuedEvent } from './event-queue.ts'
import { type InvocationOutcome, killed } from './invocation-outcome.ts'
import { asynchronousSettings, type LocalFunction } from './local-function.ts'
import { type GiveUpCondition, onFailureEnvelope } from './on-failure-envelope.ts'
import { PoolClosed, type ProcessPool } from './process-pool.ts'

/** Runs asynchronous events from the queue until each has succeeded, or was retried in vain and handed on. */
export interface EventRunner {
  /** Keeps the event (when this returns, it is on disk) and runs it when there is a place. */
  submit(event: { requestId: string; functionName: string; payload: string }): void
  /** Takes up what an earlier process left of these functions: the queued as they were, the running ones as crashed. */
  resume(functionNames: readonly string[]): void
  /** For a closed pool: resolves when nothing runs. What waits for its time, or for a place, stays in the queue. */
  close(): Promise<void>
}

export interface EventRunnerDependencies {
  readonly queue: EventQueue
  readonly pool: ProcessPool
  readonly clock: Clock
  readonly definitionOf: (functionName: string) => LocalFunction | undefined
  readonly newRequestId: () => string
  /** Before the first retry, and before the second. */
  readonly retryDelaysMs: readonly number[]
  readonly log: (line: string) => void
}

export function createEventRunner(deps: EventRunnerDependencies): EventRunner {
  const { queue, pool, clock } = deps
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
      begin(event)
      return
    }
    const cancel = clock.setTimer(delayMs, () => {
      timers.delete(cancel)
      begin(event)
    })
    timers.add(cancel)
  }

  function begin(event: QueuedEvent): void {
    const running = run(event).finally(() => runs.delete(running))
    runs.add(running)
  }

  async function run(event: QueuedEvent): Promise<void> {
    try {
      await pool.use(event.functionName, async (process) => {
        if (isTooOld(event)) return giveUp(event, 'EventAgeExceeded')
        const begun = queue.begin(event)
        conclude(begun, await process.invoke(begun))
      })
    } catch (error) {
      if (!(error instanceof PoolClosed)) throw error // closed: the event stays in the queue
    }
  }

  function conclude(event: QueuedEvent, outcome: InvocationOutcome): void {
    if (outcome.kind === 'result') {
      queue.settle(event)
    } else if (event.attempts > settingsOf(event).retries) {
      giveUp({ ...event, lastError: outcome.error }, 'RetriesExhausted')
    } else {
      const delayMs = deps.retryDelaysMs[event.attempts - 1] ?? deps.retryDelaysMs.at(-1) ?? 0
      runWhenDue(queue.retry(event, clock.now() + delayMs, outcome.error))
    }
  }

  function giveUp(event: QueuedEvent, condition: GiveUpCondition): void {
    const { onFailure } = settingsOf(event)
    deps.log(`[${event.functionName} ${event.requestId}] failed: ${reasonOf(event, condition)}`)
    const followed = queue.settle(
      event,
      onFailure === undefined ? undefined : following(onFailure, event, condition),
    )
    if (followed !== undefined) runWhenDue(followed)
  }

  function following(functionName: string, event: QueuedEvent, condition: GiveUpCondition) {
    const nowMs = clock.now()
    const payload = JSON.stringify(onFailureEnvelope(event, condition, nowMs))
    return { requestId: deps.newRequestId(), functionName, payload, receivedAtMs: nowMs }
  }

  function isTooOld(event: QueuedEvent): boolean {
    return clock.now() - event.receivedAtMs > settingsOf(event).maximumEventAgeSeconds * 1_000
  }

  function settingsOf({ functionName }: QueuedEvent) {
    const definition = deps.definitionOf(functionName)
    if (definition === undefined)
      throw new Error(`An event of ${functionName} was run without its definition`)
    return asynchronousSettings(definition)
  }
}

/** What an operator reads: the error as Lambda reports it, with the stack of one that was thrown. */
function reasonOf({ lastError, attempts }: QueuedEvent, condition: GiveUpCondition): string {
  if (condition === 'EventAgeExceeded') return 'the event was older than its function allows'
  const { errorType = 'Error', errorMessage = '', trace = [] } = lastError ?? {}
  const times = attempts > 1 ? ` (${attempts} attempts)` : ''
  return [`${errorType}: ${errorMessage}${times}`, ...trace.slice(1)].join('\n')
}
