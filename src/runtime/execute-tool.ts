import * as z from 'zod'
import type { Artifacts } from '../core/artifact.ts'
import { type Failure, Internal, Interrupted, Timeout, TurnwiseError, toFailure } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import type { CallOutcome } from '../core/resource.ts'
import type { Caller, Tool } from '../core/tool.ts'
import { holdResources } from './hold-resources.ts'
import type { Clock } from './ports.ts'

/** Code that was told to stop gets this long to end by itself. */
const SETTLE_AFTER_STOP_MS = 1_000
/** Closing gets this long after a call that had to be stopped: the function is killed soon after. */
const CLOSE_AFTER_STOP_MS = 2_000
/** Closing gets this long after a call that ended by itself; its function has 5 s more than its tool. */
const CLOSE_MS = 4_000
/** How often a running call looks whether its run was cancelled. */
const CANCEL_CHECK_MS = 5_000

export interface Execution {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly idempotencyKey: string
  readonly caller: Caller
  /** The lists of this call, which heed its signal. */
  readonly artifacts: (signal: AbortSignal) => Artifacts
  readonly isCancelled: () => Promise<boolean>
  /** Hears of an error that the tool did not throw as one of the family. */
  readonly onFault?: (error: unknown) => void
}

export interface Executed {
  readonly outcome: CallOutcome
  readonly end:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly failure: Failure }
  /** The code was stopped and may still be running: its process is not to be used again. */
  readonly isStillRunning: boolean
}

/** Runs a tool's code once on an input that its schema has parsed: with its resources, its timeout and its cancel, and checks what comes back. */
export async function executeTool(tool: Tool, input: unknown, execution: Execution): Promise<Executed> {
  const { clock, env, idempotencyKey, caller, artifacts } = execution
  const stop = new AbortController()
  const { openers, release } = holdResources(tool.resources, { env, signal: stop.signal })
  const ticking = startTimers(tool, execution, stop)
  let isRunning = true
  // The resources of this tool are what its code was typed with.
  const context = {
    resources: openers as Tool['resources'] & typeof openers,
    artifacts: artifacts(stop.signal),
    signal: stop.signal,
    idempotencyKey,
    caller,
  }
  const running = Promise.resolve()
    .then(() => tool.code(input, context as unknown as Parameters<Tool['code']>[1]))
    .finally(() => {
      isRunning = false
    })
  const attempt = await settle(Promise.race([running, whenAborted(stop.signal)]))
  ticking.cancel()
  if (stop.signal.aborted) {
    const outcome = ticking.reason()
    // Code that heeds its signal rolls back while what it holds is still open.
    await Promise.race([settle(running), after(clock, SETTLE_AFTER_STOP_MS)])
    await Promise.race([settle(release(outcome)), after(clock, CLOSE_AFTER_STOP_MS)])
    // Told to stop, the code may have ended by itself meanwhile.
    return {
      outcome,
      end: { ok: false, failure: toFailure(stopped(tool, outcome)) },
      isStillRunning: isRunning,
    }
  }
  const checked = attempt.ok ? checkOutput(tool, attempt.value) : attempt
  const outcome = checked.ok ? 'succeeded' : 'failed'
  // Bounded: Lambda would kill a function that waits here, and what is known of the call would be lost.
  const released = await Promise.race([
    settle(release(outcome)),
    after(clock, CLOSE_MS).then(() => NOT_CLOSED),
  ])
  if (!attempt.ok && !(attempt.error instanceof TurnwiseError)) execution.onFault?.(attempt.error)
  const end = checked.ok && !released.ok ? notClosed(tool, released.error) : checked
  return {
    outcome,
    end: end.ok ? { ok: true, value: end.value ?? null } : { ok: false, failure: toFailure(end.error) },
    isStillRunning: false,
  }
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }

const settle = (promise: Promise<unknown>): Promise<Settled> =>
  promise.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  )

function startTimers(tool: Tool, { clock, isCancelled }: Execution, stop: AbortController) {
  let reason: CallOutcome = 'timed-out'
  const abort = (why: CallOutcome) => {
    reason = why
    stop.abort(stopped(tool, why))
  }
  const cancelTimeout = clock.setTimer(tool.timeoutSeconds * 1_000, () => abort('timed-out'))
  let cancelCheck = (): void => undefined
  const checkLater = () => {
    cancelCheck = clock.setTimer(CANCEL_CHECK_MS, async () => {
      // A check that fails says nothing; the next one may.
      const cancelled = await isCancelled().catch(() => false)
      if (isOver) return
      if (cancelled) abort('cancelled')
      else checkLater()
    })
  }
  let isOver = false
  checkLater()
  return {
    reason: () => reason,
    cancel: () => {
      isOver = true
      cancelTimeout()
      cancelCheck()
    },
  }
}

function stopped(tool: Tool, outcome: CallOutcome): Error {
  const limit = `${tool.name} did not end within its ${tool.timeoutSeconds} s`
  if (outcome === 'cancelled')
    return new Interrupted(`${tool.name} was stopped, since its run is over or went on without it`)
  return tool.readOnly || tool.idempotent
    ? new Timeout(limit)
    : new Interrupted(`${limit} and was stopped, so its outcome is unknown`)
}

const NOT_CLOSED: Settled = { ok: false, error: new Error(`it took longer than ${CLOSE_MS / 1_000} s`) }

/** A commit may be among what did not happen, so the call is no success; but its code did run, and the failure says so. */
const notClosed = (tool: Tool, error: unknown): Settled => ({
  ok: false,
  error: new Internal(`${tool.name} did run, but closing what it held failed: ${toFailure(error).message}`),
})

/** What the code returned, as the schema and JSON have it. The code did run, and the failure says so. */
function checkOutput(tool: Tool, value: unknown): Settled {
  const did = `${tool.name} did run, but what it returned`
  try {
    const parsed = tool.output.safeParse(value)
    if (!parsed.success)
      throw new Internal(`${did} does not fit its output schema:\n${z.prettifyError(parsed.error)}`)
    return { ok: true, value: JSON.parse(toJsonText(parsed.data, did)) }
  } catch (error) {
    return { ok: false, error }
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const after = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimer(delayMs, resolve)
  })
