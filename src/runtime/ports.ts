import type { Failure } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import type { AgentStepMessage, AnsweredMessage, CallMessage, NudgeMessage, TellMessage } from './messages.ts'

/** Time as a dependency; milliseconds since 1970. */
export interface Clock {
  now(): number
  /** Runs `action` once after `delayMs`; the answer cancels it. */
  setTimer(delayMs: number, action: () => void): () => void
}

/** One delivery of one invocation. Lambda may deliver the same request twice, at the same time and later again. */
export interface Invocation {
  /** Lambda's: the same for every delivery of one event. */
  readonly requestId: string
  /** Unique to this delivery: what it leases and claims is its own. */
  readonly owner: string
  /** When Lambda kills it, in milliseconds. */
  readonly deadline: number
}

/** A function by its place in the plan: `tool-order_status`, `turn-order_agent`, `doer-customer_report`, `resume`. */
export type FunctionId = string

export type AsynchronousMessage =
  | NudgeMessage
  | CallMessage
  | AgentStepMessage
  | TellMessage
  | AnsweredMessage

/** How a doer's execution stands at Step Functions. */
export type MachineStatus =
  | { readonly kind: 'absent' | 'running' }
  | { readonly kind: 'succeeded'; readonly output: unknown }
  /** As Step Functions has it: `{ error: 'States.Timeout', cause: '…' }`. */
  | { readonly kind: 'failed'; readonly error: string; readonly cause: string }

export interface Machines {
  /** Starts the doer's execution named after the run. A repeat with the same input is the same execution. */
  start(doer: string, runId: string, input: unknown): Promise<void>
  stop(doer: string, runId: string): Promise<void>
  describe(doer: string, runId: string): Promise<MachineStatus>
  /** Answers a task token. A token that is no longer waited for counts as answered. */
  answer(token: string, answer: { readonly output: unknown } | { readonly failure: Failure }): Promise<void>
}

/** What every runtime function is given. */
export interface Ports {
  readonly store: Store
  /**
   * Invokes a function asynchronously. Throws `Denied` or `NotFound` when the function can never be invoked, anything else
   * when the message may be lost.
   */
  send(target: FunctionId, message: AsynchronousMessage): Promise<void>
  readonly machines: Machines
  /** Only `resume` has the rights to answer task tokens and to nudge whatever parent; others ask it to tell. */
  readonly mayTell: boolean
  readonly clock: Clock
  /**
   * Tells the log of an error that is not of the family: a fault of code, whose stack the record does not hold. `about` says where:
   * `order_status in run …, call 2/0`.
   */
  reportFault(error: unknown, about: string): void
  /** A fresh text that nobody can guess. */
  random(): string
}

/** The sweep comes each minute; a run is looked at when it is due, so a lost nudge costs at most two minutes. */
export const LOOK_AGAIN_MS = 55_000
