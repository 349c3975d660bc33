import type { Clock } from '../../../src/local/clock.ts'

/** A clock that stands still until it is moved. */
export interface SkippableClock extends Clock {
  /** Moves time by so much, firing in order of time what falls due, each at its own time. */
  skip(durationMs: number): void
  /** Timers that are set. */
  pending(): number
  /** Resolves once so many timers are set, or more. */
  untilPending(count: number): Promise<void>
}

export function createSkippableClock(startMs = Date.UTC(2026, 0, 1)): SkippableClock {
  let nowMs = startMs
  let timers: { readonly dueMs: number; readonly fire: () => void }[] = []
  return {
    now: () => nowMs,
    setTimer(delayMs, fire) {
      const timer = { dueMs: nowMs + delayMs, fire }
      timers = [...timers, timer].sort((a, b) => a.dueMs - b.dueMs)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    skip(durationMs) {
      const endMs = nowMs + durationMs
      for (let next = timers[0]; next !== undefined && next.dueMs <= endMs; next = timers[0]) {
        timers = timers.slice(1)
        nowMs = Math.max(nowMs, next.dueMs)
        next.fire()
      }
      nowMs = endMs
    },
    pending: () => timers.length,
    async untilPending(count) {
      while (timers.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
    },
  }
}
