import { setImmediate as nextTick } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { createChildren } from './children.ts'
import type { TaskOutcome } from './integrations/integration.ts'
import type { TaskInvoker } from './integrations/task-invoker.ts'
import type { Execution, Thread, Work } from './interpreter/execution.ts'
import { handleSignal, type Signal } from './interpreter/handle-signal.ts'
import { redriveThreads } from './interpreter/redrive.ts'
import { breakOff } from './interpreter/settle.ts'
import { createTransition, HistoryFull, type Services, type Transition } from './interpreter/transition.ts'
import { MAXIMUM_HISTORY_EVENTS } from './limits.ts'
import type { ExecutionStore } from './store/execution-store.ts'

export interface EngineDependencies {
  readonly store: ExecutionStore
  readonly tasks: TaskInvoker
  readonly clock: Clock
  readonly services: Services
  /** Of the machine with this ARN: its executions end at their next transition to a state. */
  isDeleting(stateMachineArn: string): boolean
  /** Told once it is stored that an execution runs, or that it has ended. */
  onStatusChange(execution: Execution): void
}

export interface Engine {
  /** Takes up an execution that was just stored. */
  begin(executionId: number): void
  /** Lets an execution that ended without success go on. */
  redrive(executionId: number): void
  /** Takes up every execution that a former process left running. */
  resume(): void
  /** Gives an execution a signal, behind those it has. Answers whether it fitted; never for an execution that is over. */
  post(executionId: number, signal: Signal): Promise<boolean>
  /** Stops between two transitions. What was running goes on when the store is opened again. */
  close(): Promise<void>
}

/** A running execution with its mailbox: signals are handled one at a time, so that transitions of one execution never overlap. */
interface Resident {
  execution: Execution
  readonly mailbox: { readonly signal: Signal; readonly answer: (fitted: boolean) => void }[]
  isBusy: boolean
  /** By thread, and `deadline` of the execution. */
  readonly timers: Map<number | 'deadline', () => void>
  /** Attempts that were sent and not answered. */
  readonly inFlight: Set<string>
}

/** Node's timers hold 2³¹ − 1 ms, 24.8 days, and fire at once for more; a Wait may last a year. */
const LONGEST_TIMER_MS = 2_147_483_647

/** After so many transitions the process looks at its sockets and timers, so that a long chain of states does not starve them. */
const TRANSITIONS_PER_TICK = 32

/** Drives executions: signals become transitions, transitions are committed, and what a committed thread waits for is started. */
export function createEngine({
  store,
  tasks,
  clock,
  services,
  isDeleting,
  onStatusChange,
}: EngineDependencies): Engine {
  const residents = new Map<number, Resident>()
  const busy = new Set<Promise<void>>()
  const children = createChildren({
    store,
    post,
    threadOf: (executionId, threadId) => residents.get(executionId)?.execution.threads.get(threadId),
  })
  let isClosed = false
  let transitionsInTick = 0
  return {
    begin(executionId) {
      onStatusChange(takeUp(executionId, attend).execution)
    },
    redrive(executionId) {
      const nowMs = clock.now()
      store.reopen(executionId, nowMs, (execution) => {
        const transition = createTransition(execution, services, nowMs)
        redriveThreads(transition)
        return transition
      })
      onStatusChange(takeUp(executionId, attend).execution)
    },
    resume() {
      for (const executionId of store.running()) takeUp(executionId, attendAgain)
      for (const { execution } of [...residents.values()]) children.stopIfAbandoned(execution)
    },
    post,
    async close() {
      isClosed = true
      for (const { timers } of residents.values()) for (const cancel of timers.values()) cancel()
      await Promise.all(busy)
    },
  }

  function takeUp(executionId: number, attendThread: (resident: Resident, thread: Thread) => void): Resident {
    const execution = store.load(executionId)
    const resident: Resident = {
      execution,
      mailbox: [],
      isBusy: false,
      timers: new Map(),
      inFlight: new Set(),
    }
    residents.set(executionId, resident)
    if (execution.deadlineMs !== undefined)
      setTimer(resident, 'deadline', execution.deadlineMs, { kind: 'deadline-passed' })
    for (const thread of execution.threads.values()) attendThread(resident, thread)
    return resident
  }

  function post(executionId: number, signal: Signal): Promise<boolean> {
    const resident = residents.get(executionId)
    if (resident === undefined || isClosed) return Promise.resolve(false)
    return new Promise((answer) => {
      resident.mailbox.push({ signal, answer })
      if (resident.isBusy) return
      const work: Promise<void> = empty(resident).finally(() => busy.delete(work))
      busy.add(work)
    })
  }

  async function empty(resident: Resident): Promise<void> {
    resident.isBusy = true
    for (let entry = resident.mailbox.shift(); entry !== undefined; entry = resident.mailbox.shift()) {
      entry.answer(isClosed ? false : await step(resident, entry.signal))
      transitionsInTick += 1
      if (transitionsInTick % TRANSITIONS_PER_TICK === 0) await nextTick()
    }
    resident.isBusy = false
  }

  async function step(resident: Resident, signal: Signal): Promise<boolean> {
    const { execution } = resident
    let transition = createTransition(execution, services, clock.now())
    try {
      if (signal.kind === 'advance' && isDeleting(execution.stateMachineArn))
        breakOff(transition, 'ExecutionAborted', undefined, 'The state machine was deleted.')
      else if (!(await handleSignal(transition, signal))) return false
    } catch (error) {
      // The copy in memory is half changed: the last committed one ends here instead.
      resident.execution = store.load(execution.id)
      transition = createTransition(resident.execution, services, clock.now())
      breakOff(transition, 'ExecutionFailed', 'States.Runtime', describeBreak(error))
    }
    store.commit(transition)
    follow(resident, transition)
    return true
  }

  /** Starts what the threads of a committed transition wait for. */
  function follow(resident: Resident, { execution, changed, removed, abandoned }: Transition): void {
    for (const { id } of removed) clearTimer(resident, id)
    children.stop(abandoned, execution.arn)
    if (execution.ended === undefined) {
      for (const thread of changed) attend(resident, thread)
      return
    }
    clearTimer(resident, 'deadline')
    residents.delete(execution.id)
    for (const { answer } of resident.mailbox.splice(0)) answer(false)
    children.tellStarter(execution)
    onStatusChange(execution)
  }

  function attend(resident: Resident, thread: Thread): void {
    clearTimer(resident, thread.id)
    const { phase } = thread
    switch (phase.kind) {
      case 'ready':
        void post(resident.execution.id, { kind: 'advance', threadId: thread.id })
        return
      case 'waiting':
      case 'retrying':
        setTimer(resident, thread.id, phase.untilMs, { kind: 'time-passed', threadId: thread.id })
        return
      case 'working': {
        const { timeoutAtMs = Number.POSITIVE_INFINITY, heartbeatAtMs = Number.POSITIVE_INFINITY } =
          phase.work
        const dueMs = Math.min(timeoutAtMs, heartbeatAtMs)
        if (dueMs < Number.POSITIVE_INFINITY)
          setTimer(resident, thread.id, dueMs, { kind: 'time-passed', threadId: thread.id })
        if (phase.work.childArn === undefined) invoke(resident, thread.id, phase.work)
        else children.lookAfter(resident.execution.id, thread.id, phase.work)
        return
      }
      case 'branching':
      case 'finished':
      case 'failed':
        return
    }
  }

  /** The same for a thread that a former process left: whether its attempt arrived, and was answered, is not known. */
  function attendAgain(resident: Resident, thread: Thread): void {
    const { phase } = thread
    if (phase.kind === 'working') invoke(resident, thread.id, phase.work, tasks.recover)
    attend(resident, thread)
  }

  function invoke(resident: Resident, threadId: number, work: Work, send = tasks.invoke): void {
    const { attemptId } = work
    if (work.submitted || resident.inFlight.has(attemptId)) return
    resident.inFlight.add(attemptId)
    const executionId = resident.execution.id
    void send(work.request, { executionId, threadId, attemptId }).then(async (outcome: TaskOutcome) => {
      const fitted = await post(executionId, { kind: 'invoked', threadId, attemptId, outcome })
      resident.inFlight.delete(attemptId)
      tasks.acknowledge(work.request, attemptId)
      if (!fitted && outcome.kind === 'succeeded')
        children.stopUnheard(work.request, outcome.result, resident.execution.arn)
    })
  }

  function setTimer(resident: Resident, key: number | 'deadline', timeMs: number, signal: Signal): void {
    const delayMs = timeMs - clock.now()
    if (delayMs <= 0) return void post(resident.execution.id, signal)
    const fire = () => {
      resident.timers.delete(key)
      setTimer(resident, key, timeMs, signal)
    }
    resident.timers.set(key, clock.setTimer(Math.min(delayMs, LONGEST_TIMER_MS), fire))
  }

  function clearTimer({ timers }: Resident, key: number | 'deadline'): void {
    timers.get(key)?.()
    timers.delete(key)
  }
}

function describeBreak(error: unknown): string {
  if (error instanceof HistoryFull)
    return `The execution reached the maximum number of history events (${MAXIMUM_HISTORY_EVENTS}).`
  return `The stand-in failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}
