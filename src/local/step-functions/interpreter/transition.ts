import type { State } from '../definition/machine.ts'
import type { Document } from '../document.ts'
import type { Failure } from '../errors.ts'
import type { Evaluator } from '../expressions/evaluate.ts'
import { MAXIMUM_HISTORY_EVENTS } from '../limits.ts'
import type { Execution, Thread, ThreadData } from './execution.ts'
import type { HistoryEvent } from './history-event.ts'

/** What states need beside their execution. */
export interface Services {
  readonly evaluator: Evaluator
  readonly region: string
  /** From 0 to below 1: jitter. */
  random(): number
  uuid(): string
  createToken(executionArn: string, threadId: number): string
}

export type ThreadEnd =
  | { readonly kind: 'succeeded'; readonly thread: Thread; readonly output: Document }
  | { readonly kind: 'failed'; readonly thread: Thread; readonly failure: Failure }

/** One step of one execution at one time: what it changes is committed together, or not at all. */
export interface Transition {
  readonly execution: Execution
  readonly services: Services
  readonly nowMs: number
  readonly events: HistoryEvent[]
  readonly changed: Set<Thread>
  readonly removed: Set<Thread>
  /** Threads that ended in this transition and whose parents have not heard of it. */
  readonly ended: ThreadEnd[]
  /** ARNs of executions that nobody waits for any more: they are stopped. */
  readonly abandoned: string[]
}

export function createTransition(execution: Execution, services: Services, nowMs: number): Transition {
  return {
    execution,
    services,
    nowMs,
    events: [],
    changed: new Set(),
    removed: new Set(),
    ended: [],
    abandoned: [],
  }
}

/** The execution has no room for another event but the one that ends it. */
export class HistoryFull extends Error {
  override readonly name = 'HistoryFull'
}

/**
 * Adds an event and makes it the thread's last one. `aside` events do not become the last: they hang beside the line, as AWS's
 * `MapStateSucceeded`. A quiet thread adds none. Answers the id of the event, or the thread's last one. Throws `HistoryFull`.
 */
export function record(
  transition: Transition,
  thread: Thread,
  type: string,
  details?: Record<string, unknown>,
  aside?: 'aside',
): number {
  if (thread.isQuiet) {
    transition.changed.add(thread)
    return thread.lastEventId
  }
  // AWS evaluates a state's fields before the line moves on to its Entered event: a failing expression hangs beside it.
  const previousEventId =
    type === 'EvaluationFailed' ? thread.lastEventId : Math.max(thread.lastEventId, thread.enteredEventId)
  const id = recordAfter(transition, previousEventId, type, details)
  if (aside === undefined) thread.lastEventId = id
  transition.changed.add(thread)
  return id
}

/** Adds an event that follows a given one. Throws `HistoryFull`. */
export function recordAfter(
  { execution, events, nowMs }: Transition,
  previousEventId: number,
  type: string,
  details?: Record<string, unknown>,
): number {
  const room = type.startsWith('Execution') ? MAXIMUM_HISTORY_EVENTS : MAXIMUM_HISTORY_EVENTS - 1
  if (execution.type === 'STANDARD' && execution.eventCount >= room) throw new HistoryFull()
  execution.eventCount += 1
  events.push({ id: execution.eventCount, previousEventId, type, timeMs: nowMs, details })
  return execution.eventCount
}

/** Starts a thread that is about to enter `startAt`. */
export function spawn(
  { execution, changed }: Transition,
  thread: Pick<Thread, 'parentId' | 'branchIndex' | 'isQuiet' | 'lastEventId'> & {
    readonly startAt: string
    readonly data: ThreadData
  },
): void {
  const { startAt, ...rest } = thread
  const id = execution.nextThreadId
  execution.nextThreadId += 1
  const created: Thread = {
    ...rest,
    id,
    stateName: startAt,
    phase: { kind: 'ready' },
    enteredEventId: 0,
    enteredMs: 0,
    retryCounts: [],
  }
  execution.threads.set(id, created)
  changed.add(created)
}

export function removeThread(transition: Transition, thread: Thread): void {
  const { execution, changed, removed } = transition
  abandonChild(transition, thread)
  execution.threads.delete(thread.id)
  changed.delete(thread)
  removed.add(thread)
}

/** What the thread started and waits for is to be stopped. */
export function abandonChild({ abandoned }: Transition, { phase }: Thread): void {
  if (phase.kind === 'working' && phase.work.childArn !== undefined) abandoned.push(phase.work.childArn)
}

/** The branches of a thread that is in a Map or Parallel, in order. */
export function branchThreads({ threads }: Execution, parent: Thread): Thread[] {
  return [...threads.values()]
    .filter(({ parentId }) => parentId === parent.id)
    .sort((a, b) => a.branchIndex - b.branchIndex)
}

export function stateOf({ machine }: Execution, thread: Thread): State {
  const state = machine.statesByName.get(thread.stateName)
  if (state === undefined) throw new Error(`The machine has no state "${thread.stateName}"`)
  return state
}
