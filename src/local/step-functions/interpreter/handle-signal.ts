import type { State } from '../definition/machine.ts'
import type { Document } from '../document.ts'
import type { Failure } from '../errors.ts'
import type { TaskOutcome } from '../integrations/integration.ts'
import { childEnded, type EndedChild } from './child-execution.ts'
import type { Thread, Work } from './execution.ts'
import { guarded } from './fail-state.ts'
import { performMap } from './map-state.ts'
import { performParallel } from './parallel-state.ts'
import { breakOff, settle } from './settle.ts'
import {
  endWait,
  performChoice,
  performFail,
  performPass,
  performSucceed,
  performWait,
} from './simple-states.ts'
import { performTask, taskEnded, taskInvoked, taskTimedOut, waitFailed } from './task-state.ts'
import { record, stateOf, type Transition } from './transition.ts'

/** What moves an execution. A signal that no longer fits its thread changes nothing. */
export type Signal =
  /** Enter the state. */
  | { readonly kind: 'advance'; readonly threadId: number }
  /** A time that the thread waits for may have come. */
  | { readonly kind: 'time-passed'; readonly threadId: number }
  | {
      readonly kind: 'invoked'
      readonly threadId: number
      readonly attemptId: string
      readonly outcome: TaskOutcome
    }
  /** The execution that the attempt started is over. */
  | {
      readonly kind: 'child-ended'
      readonly threadId: number
      readonly attemptId: string
      readonly child: EndedChild
    }
  | {
      readonly kind: 'token-succeeded'
      readonly threadId: number
      readonly token: string
      readonly output: Document
    }
  | {
      readonly kind: 'token-failed'
      readonly threadId: number
      readonly token: string
      readonly failure: Failure
    }
  | { readonly kind: 'heartbeat'; readonly threadId: number; readonly token: string }
  | { readonly kind: 'stop'; readonly error: string | undefined; readonly cause: string | undefined }
  | { readonly kind: 'deadline-passed' }

/** Takes one step. Answers whether the signal fitted; if not, nothing changed. Throws `HistoryFull`. */
export async function handleSignal(transition: Transition, signal: Signal): Promise<boolean> {
  const { execution } = transition
  if (execution.ended !== undefined) return false
  if (signal.kind === 'stop') {
    breakOff(transition, 'ExecutionAborted', signal.error, signal.cause)
    return true
  }
  if (signal.kind === 'deadline-passed') {
    if (execution.deadlineMs === undefined || execution.deadlineMs > transition.nowMs) return false
    breakOff(transition, 'ExecutionTimedOut', undefined, undefined)
    return true
  }
  const thread = execution.threads.get(signal.threadId)
  if (thread === undefined) return false
  const step = stepFor(transition, thread, stateOf(execution, thread), signal)
  if (step === undefined) return false
  transition.changed.add(thread)
  await guarded(transition, thread, step)
  await settle(transition)
  return true
}

type ThreadSignal = Exclude<Signal, { kind: 'stop' | 'deadline-passed' }>
type Step = () => Promise<void>

function stepFor(
  transition: Transition,
  thread: Thread,
  state: State,
  signal: ThreadSignal,
): Step | undefined {
  if (signal.kind === 'advance')
    return thread.phase.kind === 'ready' ? () => enterState(transition, thread, state) : undefined
  if (signal.kind === 'time-passed') return stepInTime(transition, thread, state)
  if (thread.phase.kind !== 'working' || state.Type !== 'Task') return undefined
  const { work } = thread.phase
  if (signal.kind === 'invoked') {
    if (work.attemptId !== signal.attemptId || work.submitted) return undefined
    return () => taskInvoked(transition, thread, state, work, signal.outcome)
  }
  if (signal.kind === 'child-ended') {
    if (work.attemptId !== signal.attemptId || work.childArn === undefined) return undefined
    return () => childEnded(transition, thread, state, signal.child)
  }
  if (work.token !== signal.token) return undefined
  switch (signal.kind) {
    case 'token-succeeded':
      return () => taskEnded(transition, thread, state, signal.output)
    case 'token-failed':
      return () => waitFailed(transition, thread, state, signal.failure)
    case 'heartbeat':
      return async () => {
        thread.phase = { kind: 'working', work: beat(work, transition.nowMs) }
      }
  }
}

function stepInTime(transition: Transition, thread: Thread, state: State): Step | undefined {
  const { phase } = thread
  const isDue = (timeMs: number | undefined) => timeMs !== undefined && timeMs <= transition.nowMs
  if (phase.kind === 'waiting' && state.Type === 'Wait' && isDue(phase.untilMs))
    return () => endWait(transition, thread, state)
  if (phase.kind === 'retrying' && isDue(phase.untilMs)) return () => performState(transition, thread, state)
  if (phase.kind !== 'working' || state.Type !== 'Task') return undefined
  const { work } = phase
  return isDue(work.timeoutAtMs) || isDue(work.heartbeatAtMs)
    ? () => taskTimedOut(transition, thread, state, work)
    : undefined
}

async function enterState(transition: Transition, thread: Thread, state: State): Promise<void> {
  const { lastEventId } = thread
  const details = { name: state.name, input: thread.data.input.text, inputDetails: { truncated: false } }
  thread.enteredEventId = record(transition, thread, `${state.Type}StateEntered`, details)
  thread.enteredMs = transition.nowMs
  thread.lastEventId = lastEventId
  await performState(transition, thread, state)
}

function performState(transition: Transition, thread: Thread, state: State): Promise<void> {
  switch (state.Type) {
    case 'Pass':
      return performPass(transition, thread, state)
    case 'Succeed':
      return performSucceed(transition, thread, state)
    case 'Fail':
      return performFail(transition, thread, state)
    case 'Choice':
      return performChoice(transition, thread, state)
    case 'Wait':
      return performWait(transition, thread, state)
    case 'Task':
      return performTask(transition, thread, state)
    case 'Map':
      return performMap(transition, thread, state)
    case 'Parallel':
      return performParallel(transition, thread, state)
  }
}

function beat(work: Work, nowMs: number): Work {
  return work.heartbeatSeconds === undefined
    ? work
    : { ...work, heartbeatAtMs: nowMs + work.heartbeatSeconds * 1_000 }
}
