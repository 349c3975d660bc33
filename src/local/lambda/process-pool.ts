import { type Clock, systemClock } from '../clock.ts'
import { parseFunctionName } from './function-name.ts'
import type { FunctionProcess } from './function-process.ts'

/** At most so many processes over all functions; who finds none free waits. */
export interface ProcessPool {
  /**
   * Runs `work` with a process of the function, warm or new, that is nobody else's meanwhile. Rejects with
   * `PoolClosed`, the work not begun, once the pool closes.
   */
  use<T>(functionName: string, work: (process: FunctionProcess) => Promise<T>): Promise<T>
  waitingCount(): number
  /** The functions' processes, of all versions, serve no more requests: idle ones end, busy ones when they are done. */
  retire(names: readonly string[]): void
  /** Starts nothing any more, lets invocations run on for up to `graceMs`, then kills. */
  close(graceMs: number): Promise<void>
}

export class PoolClosed extends Error {
  override readonly name = 'PoolClosed'
}

/** How long a process is idle, or a request waits, before a process changes to a function that has one already. */
const PATIENCE_MS = 2_000

interface Slot {
  readonly process: FunctionProcess
  state: 'busy' | 'idle' | 'ending'
  lastUsedMs: number
  /** It ends when it is done. */
  isRetired: boolean
}

interface Waiter {
  readonly functionName: string
  readonly sinceMs: number
  readonly resolve: (process: FunctionProcess) => void
  readonly reject: (error: PoolClosed) => void
}

/**
 * Oldest first within a function; between functions as far as it is cheap, for to end a process in favour of another
 * function costs some tenths of a second of a core. So an idle process is given to another function
 * - that has none: at once if its own has no request waiting, else when the other's request has waited two seconds;
 * - that has at least two fewer, when its request has waited as long;
 * - that has others, when the process was idle for as long;
 * and from the function that has most. As many processes are the only bound, functions that wait for each other need
 * as many as their chain is long.
 */
export function createProcessPool(deps: {
  start(functionName: string): FunctionProcess
  maximumProcesses: number
  /** `never`: each request is served by a process of its own. */
  reuse: 'warm' | 'never'
  clock: Clock
}): ProcessPool {
  const slots = new Map<FunctionProcess, Slot>() // in the order of their last use
  const waiters = new Set<Waiter>() // oldest first
  let closing = false
  let cancelNextLook: (() => void) | undefined

  return {
    async use(functionName, work) {
      const process = await acquire(functionName)
      try {
        return await work(process)
      } finally {
        release(process)
      }
    },
    waitingCount: () => waiters.size,
    retire(names) {
      for (const slot of slots.values()) {
        if (!names.includes(parseFunctionName(slot.process.functionName)?.name ?? '')) continue
        slot.isRetired = true
        if (slot.state === 'idle') end(slot)
      }
    },
    async close(graceMs) {
      closing = true
      cancelNextLook?.()
      for (const waiter of waiters) waiter.reject(new PoolClosed())
      waiters.clear()
      const kill = () => {
        for (const { process } of slots.values()) process.kill()
      }
      const cancel = systemClock.setTimer(graceMs, kill) // where time stands still, a close must end all the same
      endIdle()
      await Promise.all([...slots.keys()].map((process) => process.exited))
      cancel()
    },
  }

  async function acquire(functionName: string): Promise<FunctionProcess> {
    if (closing) throw new PoolClosed()
    return new Promise((resolve, reject) => {
      waiters.add({ functionName, sinceMs: deps.clock.now(), resolve, reject })
      dispatch()
    })
  }

  function release(process: FunctionProcess): void {
    const slot = slots.get(process)
    if (slot === undefined) return // it ended
    slots.delete(process) // and set again: the order is that of the last use
    slots.set(process, slot)
    slot.state = 'idle'
    slot.lastUsedMs = deps.clock.now()
    if (slot.isRetired) end(slot)
    else dispatch()
  }

  function dispatch(): void {
    if (closing) endIdle()
    let comingPlaces = countSlots('ending')
    let isAnyLeft = false
    for (const waiter of waiters) {
      if (slots.size >= deps.maximumProcesses && countSlots('idle') === 0) return
      const warm = findIdle(waiter.functionName)
      if (warm !== undefined) {
        hand(warm, waiter)
      } else if (slots.size < deps.maximumProcesses) {
        hand(start(waiter.functionName), waiter)
      } else {
        if (comingPlaces > 0) comingPlaces--
        else makeRoomFor(waiter)
        isAnyLeft = true
      }
    }
    if (isAnyLeft) lookAgain()
  }

  /** A process that is idle now is spare in a while, and nothing else may happen until then. */
  function lookAgain(): void {
    cancelNextLook ??= deps.clock.setTimer(PATIENCE_MS, () => {
      cancelNextLook = undefined
      dispatch()
    })
  }

  function hand(slot: Slot, waiter: Waiter): void {
    waiters.delete(waiter)
    slot.state = 'busy'
    waiter.resolve(slot.process)
  }

  function start(functionName: string): Slot {
    const process = deps.start(functionName)
    const isRetired = deps.reuse === 'never'
    const slot: Slot = { process, state: 'busy', lastUsedMs: deps.clock.now(), isRetired }
    slots.set(process, slot)
    process.exited.then(() => {
      slots.delete(process)
      dispatch()
    })
    return slot
  }

  function makeRoomFor(waiter: Waiter): void {
    const wanted = new Set([...waiters].map(({ functionName }) => functionName))
    const own = countProcesses(waiter.functionName)
    const spare = [...slots.values()]
      .filter(({ state, lastUsedMs, process: { functionName } }) => {
        if (state !== 'idle') return false
        if (own === 0 && !wanted.has(functionName)) return true
        if (ageMs(lastUsedMs) >= PATIENCE_MS) return true
        return (own === 0 || own + 2 <= countProcesses(functionName)) && ageMs(waiter.sinceMs) >= PATIENCE_MS
      })
      .toSorted((a, b) => countProcesses(b.process.functionName) - countProcesses(a.process.functionName))
      .at(0)
    if (spare !== undefined) end(spare)
  }

  function ageMs(sinceMs: number): number {
    return deps.clock.now() - sinceMs
  }

  function endIdle(): void {
    for (const slot of slots.values()) if (slot.state === 'idle') end(slot)
  }

  function end(slot: Slot): void {
    slot.state = 'ending'
    slot.process.kill()
  }

  function findIdle(functionName: string): Slot | undefined {
    return [...slots.values()].find(
      (slot) => slot.state === 'idle' && slot.process.functionName === functionName,
    )
  }

  function countSlots(state: Slot['state']): number {
    return [...slots.values()].filter((slot) => slot.state === state).length
  }

  function countProcesses(functionName: string): number {
    return [...slots.values()].filter(
      (slot) => slot.state !== 'ending' && slot.process.functionName === functionName,
    ).length
  }
}
