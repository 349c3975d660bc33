import type { Clock } from './clock.ts'

/** Time that stands still until it is moved, for tests: a wait of an hour takes none. */
export interface ManualClock extends Clock {
  /** Moves time by so much, firing in order what falls due on the way, each at its own time. */
  advance(ms: number): void
  /** Timers that are set. */
  pending(): number
  /** Resolves once so many timers are set, or more: what a test waits for before it moves the time. */
  untilPending(count: number): Promise<void>
  /** Whether a timer would fire after exactly so long. */
  isDueIn(ms: number): boolean
}

interface Timer {
  readonly dueMs: number
  readonly fire: () => void
}

/** Starts at the beginning of 2026 unless told otherwise. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = startMs
  const timers = new Set<Timer>()
  const waiters = new Set<{ readonly count: number; readonly resolve: () => void }>()
  return {
    now: () => nowMs,
    setTimer(delayMs, fire) {
      const timer = { dueMs: nowMs + delayMs, fire }
      timers.add(timer)
      for (const waiter of waiters) {
        if (timers.size < waiter.count) continue
        waiters.delete(waiter)
        waiter.resolve()
      }
      return () => timers.delete(timer)
    },
    advance(ms) {
      const endMs = nowMs + ms
      for (let next = nextDue(endMs); next !== undefined; next = nextDue(endMs)) {
        timers.delete(next)
        nowMs = Math.max(nowMs, next.dueMs)
        next.fire()
      }
      nowMs = endMs
    },
    pending: () => timers.size,
    untilPending: (count) =>
      timers.size >= count ? Promise.resolve() : new Promise((resolve) => waiters.add({ count, resolve })),
    isDueIn: (ms) => [...timers].some(({ dueMs }) => dueMs === nowMs + ms),
  }

  /** Of those due at the same time the one that was set first. */
  function nextDue(byMs: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers)
      if (timer.dueMs <= byMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer
    return next
  }
}
