import type { InvocationOutcome } from './invocation-outcome.ts'
import type { Refusal } from './refusal.ts'

/** One request to run a function that Lambda has taken. Each attempt of an asynchronous event has the same one. */
export interface Invocation {
  readonly type: 'RequestResponse' | 'Event'
  readonly requestId: string
  readonly functionName: string
  /** The version or alias that the request names; undefined: none. */
  readonly qualifier: string | undefined
  /** JSON text. */
  readonly payload: string
  /** The request's `X-Amzn-Trace-Id`. */
  readonly trace: string | undefined
  /** Gets each line that the function prints meanwhile. */
  readonly log?: (line: string) => void
}

/**
 * How one attempt at an invocation ended. The function ran, and its outcome reached the caller or was lost on the way
 * (`unanswered`); or it did not run: Lambda refused, the stand-in closes, it was not wanted any more (`skipped`), or the
 * event was lost.
 */
export type Attempt =
  | InvocationOutcome
  | { readonly kind: 'unanswered'; readonly outcome: InvocationOutcome }
  | Refusal
  | { readonly kind: 'closed' | 'skipped' | 'lost' }

/**
 * Makes one attempt. `begin` is called when a process is there, before it is given the invocation; where it answers
 * false nothing runs (`skipped`).
 */
export type RunInvocation = (invocation: Invocation, begin: () => boolean) => Promise<Attempt>
