import type { Clock } from '../../../src/local/clock.ts'

/** Time that a test moves. */
export interface ManualClock extends Clock {
  /** Fires what is due on the way, in order. */
  advance(ms: number): void
  /** Whether a timer would fire after exactly so long: what a test that moves the time waits for. */
  isDueIn(ms: number): boolean
}

export function createManualClock(startMs = Date.parse('2026-01-01T00:00:00Z')): ManualClock {
  let nowMs = startMs
  const timers = new Set<{ dueMs: number; fire: () => void }>()
  return {
    now: () => nowMs,
    setTimer(delayMs, fire) {
      const timer = { dueMs: nowMs + delayMs, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    isDueIn: (ms) => [...timers].some(({ dueMs }) => dueMs === nowMs + ms),
    advance(ms) {
      const endMs = nowMs + ms
      for (;;) {
        const [next] = [...timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)
        if (next === undefined) break
        timers.delete(next)
        nowMs = next.dueMs
        next.fire()
      }
      nowMs = endMs
    },
  }
}
