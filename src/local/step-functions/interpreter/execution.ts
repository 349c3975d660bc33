import type { Machine } from '../definition/machine.ts'
import type { Document } from '../document.ts'
import type { LambdaRequest } from '../lambda.ts'

/** How an execution ended. A failed one has an error or a cause, where known, and no output. */
export type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'
      readonly error: string | undefined
      readonly cause: string | undefined
    }

/** A running execution in memory: what the store holds of it, and its machine. Only a transition changes it, and commits the change at once. */
export interface Execution {
  /** The store's key. */
  readonly id: number
  readonly arn: string
  readonly name: string
  readonly stateMachineArn: string
  readonly roleArn: string
  readonly input: Document
  readonly startedMs: number
  /** When the machine's own TimeoutSeconds is over. */
  readonly deadlineMs: number | undefined
  readonly machine: Machine
  /** Event ids are 1 to this. */
  eventCount: number
  nextThreadId: number
  readonly threads: Map<number, Thread>
  ended: { readonly outcome: Outcome; readonly stoppedMs: number } | undefined
}

/**
 * One line of states that runs by itself: the execution (without parent), an iteration of a Map, a branch of a Parallel. It is a row in
 * the store, and what it waits for is its phase, so that a process that starts again reads there how to go on.
 */
export interface Thread {
  readonly id: number
  readonly parentId: number | undefined
  /** Its place among its siblings: the index of the item or the branch. */
  readonly branchIndex: number
  stateName: string
  phase: Phase
  /** The event that its next event names as the previous one. */
  lastEventId: number
  enteredEventId: number
  enteredMs: number
  /** How often each rule of the state's Retry was used. */
  retryCounts: readonly number[]
  /** Replaced, never changed, so that the store can tell whether to write it. */
  data: ThreadData
}

export interface ThreadData {
  /** The state's input. */
  readonly input: Document
  readonly variables: Readonly<Record<string, unknown>>
  /** Of a thread in a Map: what it iterates over. */
  readonly items?: readonly unknown[]
  /** Of a finished branch. */
  readonly result?: Document
}

export type Phase =
  /** About to enter the state. */
  | { readonly kind: 'ready' }
  /** In a Wait. */
  | { readonly kind: 'waiting'; readonly untilMs: number }
  /** In a Task. */
  | { readonly kind: 'working'; readonly work: Work }
  /** Between two attempts of a Task, Map or Parallel. */
  | { readonly kind: 'retrying'; readonly untilMs: number }
  /** In a Map or Parallel, while its branches run. */
  | {
      readonly kind: 'branching'
      readonly total: number
      readonly launched: number
      readonly finished: number
    }
  /** A branch that waits for its siblings. */
  | { readonly kind: 'finished' }

/** One attempt of a Task. */
export interface Work {
  /** Tells this attempt from an earlier one, whose answer comes too late. */
  readonly scheduledEventId: number
  readonly request: LambdaRequest
  /** Of `.waitForTaskToken`: what ends the task. */
  readonly token: string | undefined
  /** The function took the request, and the token is waited for. */
  readonly submitted: boolean
  readonly timeoutAtMs: number | undefined
  readonly heartbeatSeconds: number | undefined
  readonly heartbeatAtMs: number | undefined
}
