import type { Clock } from '../clock.ts'
import type { Attempt, Invocation, RunInvocation } from './invocation.ts'
import type { FunctionError } from './invocation-outcome.ts'
import { refusal } from './refusal.ts'

/**
 * What goes wrong with one attempt at an invocation:
 * - `fail`: the function's error is this one, and it did not run.
 * - `refuse`: Lambda answers with the exception (`ServiceException`, 500), and the function did not run. An
 *   asynchronous event is put back and tried again, as after a throttle.
 * - `delay`: it begins so much later, on the stand-in's clock. Delays reorder.
 * - `lose-answer`: the function runs; a synchronous caller's connection breaks; an asynchronous event is put back.
 * - `double`: it runs a second time under the same request id, `afterMs` (default 0) after the first has begun. The
 *   caller is told how the first one ended.
 * - `lose`: an asynchronous event that was accepted never runs.
 */
export type Fault =
  | { readonly kind: 'fail'; readonly error: FunctionError }
  | { readonly kind: 'refuse'; readonly exception: string; readonly status: number }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'lose-answer' }
  | { readonly kind: 'double'; readonly afterMs?: number }
  | { readonly kind: 'lose' }

/** `number` counts the attempts of the function from 1, over all qualifiers, retries included. `payload` is JSON text. */
export interface FaultyInvocation
  extends Pick<Invocation, 'functionName' | 'qualifier' | 'type' | 'requestId' | 'payload'> {
  readonly number: number
}

/** Is asked before each attempt. */
export type Faults = (invocation: FaultyInvocation) => Fault | undefined

export interface FaultInjector {
  readonly run: RunInvocation
  /** Ends the delays: what they held does not run any more. */
  close(): void
}

/** The one place that applies faults, around what really runs the invocations. */
export function createFaultInjector(deps: {
  readonly faults: Faults
  readonly run: RunInvocation
  readonly clock: Clock
  readonly log: (line: string) => void
}): FaultInjector {
  const numbers = new Map<string, number>()
  const delays = new Set<() => void>()
  let closed = false

  return {
    async run(invocation, begin) {
      const { functionName, qualifier, type, requestId, payload } = invocation
      const number = (numbers.get(functionName) ?? 0) + 1
      numbers.set(functionName, number)
      const fault = deps.faults({ functionName, qualifier, type, requestId, payload, number })
      return fault === undefined ? deps.run(invocation, begin) : apply(fault, invocation, begin)
    },
    close() {
      closed = true
      for (const end of delays) end()
    },
  }

  async function apply(fault: Fault, invocation: Invocation, begin: () => boolean): Promise<Attempt> {
    switch (fault.kind) {
      case 'fail':
        return begin() ? { kind: 'error', error: fault.error } : { kind: 'skipped' }
      case 'refuse':
        return refusal(fault.status, fault.exception, 'A fault that was asked for')
      case 'delay':
        return runAfter(fault.ms, invocation, begin)
      case 'lose-answer':
        return withoutAnswer(await deps.run(invocation, begin))
      case 'double':
        return runTwice(fault.afterMs ?? 0, invocation, begin)
      case 'lose':
        return invocation.type === 'Event' ? { kind: 'lost' } : refuseToLose(invocation)
    }
  }

  function runTwice(afterMs: number, invocation: Invocation, begin: () => boolean): Promise<Attempt> {
    const { functionName, requestId } = invocation
    return deps.run(invocation, () => {
      const isBegun = begin()
      if (isBegun)
        runAfter(afterMs, invocation, () => true).catch((error) =>
          deps.log(`[${functionName} ${requestId}] did not run a second time: ${error}`),
        )
      return isBegun
    })
  }

  async function runAfter(ms: number, invocation: Invocation, begin: () => boolean): Promise<Attempt> {
    await delay(ms)
    return closed ? { kind: 'closed' } : deps.run(invocation, begin)
  }

  async function delay(ms: number): Promise<void> {
    if (ms === 0 || closed) return
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        delays.delete(end)
        resolve()
      }
      const cancel = deps.clock.setTimer(ms, end)
      delays.add(end)
    })
  }
}

function withoutAnswer(attempt: Attempt): Attempt {
  return attempt.kind === 'result' || attempt.kind === 'error'
    ? { kind: 'unanswered', outcome: attempt }
    : attempt
}

function refuseToLose({ functionName }: Invocation): Attempt {
  const message = `The fault "lose" is for an Event, and ${functionName} was invoked with RequestResponse: "lose-answer" or "refuse" is for that`
  return refusal(500, 'ServiceException', message)
}
