import { setImmediate as nextTick } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Execution, Thread, Work } from './interpreter/execution.ts'
import { handleSignal, type Signal } from './interpreter/handle-signal.ts'
import { breakOff } from './interpreter/settle.ts'
import { createTransition, HistoryFull, type Services, type Transition } from './interpreter/transition.ts'
import type { InvocationOutcome, LambdaInvoker } from './lambda.ts'
import { MAXIMUM_HISTORY_EVENTS } from './limits.ts'
import type { ExecutionStore } from './store/execution-store.ts'

export interface EngineDependencies {
  readonly store: ExecutionStore
  readonly lambda: LambdaInvoker
  readonly clock: Clock
  readonly services: Services
  /** Told once an execution's end is stored. */
  onEnded(execution: Execution): void
}

export interface Engine {
  /** Takes up an execution that was just stored. */
  begin(executionId: number): void
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
  /** Scheduled events of invocations on their way. */
  readonly inFlight: Set<number>
}

/** Node's timers hold 2³¹ − 1 ms, 24.8 days, and fire at once for more; a Wait may last a year. */
const LONGEST_TIMER_MS = 2_147_483_647

/** After so many transitions the process looks at its sockets and timers, so that a long chain of states does not starve them. */
const TRANSITIONS_PER_TICK = 32

/** Drives executions: signals become transitions, transitions are committed, and what a committed thread waits for is started. */
export function createEngine({ store, lambda, clock, services, onEnded }: EngineDependencies): Engine {
  const residents = new Map<number, Resident>()
  const busy = new Set<Promise<void>>()
  let isClosed = false
  let transitionsInTick = 0
  return {
    begin: (executionId) => takeUp(executionId, attend),
    resume() {
      for (const executionId of store.running()) takeUp(executionId, attendAgain)
    },
    post,
    async close() {
      isClosed = true
      for (const { timers } of residents.values()) for (const cancel of timers.values()) cancel()
      await Promise.all(busy)
    },
  }

  function takeUp(executionId: number, attendThread: (resident: Resident, thread: Thread) => void): void {
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
      if (!(await handleSignal(transition, signal))) return false
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
  function follow(resident: Resident, { execution, changed, removed }: Transition): void {
    for (const { id } of removed) clearTimer(resident, id)
    if (execution.ended === undefined) {
      for (const thread of changed) attend(resident, thread)
      return
    }
    clearTimer(resident, 'deadline')
    residents.delete(execution.id)
    for (const { answer } of resident.mailbox.splice(0)) answer(false)
    onEnded(execution)
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
        invoke(resident, thread.id, phase.work)
        return
      }
      case 'branching':
      case 'finished':
        return
    }
  }

  /**
   * The same for a thread that a former process left. Whether its invocation arrived is not known: an asynchronous one is sent again, as
   * Lambda may deliver events twice; another one counts as failed, and the state's Retry decides.
   */
  function attendAgain(resident: Resident, thread: Thread): void {
    const { phase } = thread
    if (phase.kind === 'working' && !phase.work.submitted && phase.work.request.invocationType !== 'Event') {
      resident.inFlight.add(phase.work.scheduledEventId)
      const failure = { error: 'Lambda.ServiceException', cause: 'The connection to the function was lost.' }
      invoked(resident, thread.id, phase.work, { kind: 'failed', by: 'service', failure })
    }
    attend(resident, thread)
  }

  function invoke(resident: Resident, threadId: number, work: Work): void {
    if (work.submitted || resident.inFlight.has(work.scheduledEventId)) return
    resident.inFlight.add(work.scheduledEventId)
    void lambda.invoke(work.request).then((outcome) => invoked(resident, threadId, work, outcome))
  }

  function invoked(resident: Resident, threadId: number, work: Work, outcome: InvocationOutcome): void {
    const { scheduledEventId } = work
    void post(resident.execution.id, { kind: 'invoked', threadId, scheduledEventId, outcome }).then(() =>
      resident.inFlight.delete(scheduledEventId),
    )
  }

  function setTimer(resident: Resident, key: number | 'deadline', timeMs: number, signal: Signal): void {
    const fire = () => {
      resident.timers.delete(key)
      if (clock.now() < timeMs) setTimer(resident, key, timeMs, signal)
      else void post(resident.execution.id, signal)
    }
    const delayMs = Math.min(Math.max(timeMs - clock.now(), 0), LONGEST_TIMER_MS)
    resident.timers.set(key, clock.setTimer(delayMs, fire))
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
