import type { Machine, MachineType } from '../definition/machine.ts'
import type { Document } from '../document.ts'
import type { TaskRequest } from '../integrations/integration.ts'

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
  readonly type: MachineType
  /** Whether its caller waits for it (StartSyncExecution). */
  readonly isSync: boolean
  readonly stateMachineArn: string
  /** The version or alias that it was started by. */
  readonly versionArn: string | undefined
  readonly aliasArn: string | undefined
  readonly roleArn: string
  readonly input: Document
  readonly startedMs: number
  /** When the machine's own TimeoutSeconds is over. */
  readonly deadlineMs: number | undefined
  readonly redrive: Redrive | undefined
  /** The task that started it, if one did. */
  readonly startedBy: Starter | undefined
  readonly machine: Machine
  /** Event ids are 1 to this. */
  eventCount: number
  nextThreadId: number
  readonly threads: Map<number, Thread>
  ended: { readonly outcome: Outcome; readonly stoppedMs: number } | undefined
}

/** That an execution was taken up again after it had failed: how often, and when last. */
export interface Redrive {
  readonly count: number
  readonly timeMs: number
}

/** The attempt of a task that started an execution. */
export interface Starter {
  readonly executionId: number
  readonly threadId: number
  readonly attemptId: string
  /** The task ends with the execution, and stops it when it ends before. */
  readonly isWaiting: boolean
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
  /** In an iteration of a distributed Map, which on AWS is an execution with a history of its own: here it leaves no events. */
  readonly isQuiet: boolean
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
      /** Items of a distributed Map that failed, and were tolerated. */
      readonly failed: number
      /** One more, and the Map fails. */
      readonly tolerated: number
    }
  /** A branch that waits for its siblings. */
  | { readonly kind: 'finished' }
  /** A branch whose failure its state is about to take. */
  | { readonly kind: 'failed' }

/** One attempt of a Task. */
export interface Work {
  /** Tells this attempt from an earlier one, whose answer comes too late. Nobody guesses it. */
  readonly attemptId: string
  readonly request: TaskRequest
  /** Of `.waitForTaskToken`: what ends the task. */
  readonly token: string | undefined
  /** The service took the request; what is waited for now is the token, or the end of the execution that was started. */
  readonly submitted: boolean
  /** The execution that was started and is waited for. */
  readonly childArn?: string
  readonly timeoutAtMs: number | undefined
  readonly heartbeatSeconds: number | undefined
  readonly heartbeatAtMs: number | undefined
}
