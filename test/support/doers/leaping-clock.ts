import { type Clock, systemClock } from '../../../src/local/clock.ts'

/** Longer than a generated step waits before it is tried again, and shorter than any timeout. */
const LONGEST_WAIT_MS = 20_000

/** Time that leaps to the end of each short wait as soon as something waits, and else passes as it does. */
export function createLeapingClock(): Clock {
  let aheadMs = 0
  const now = () => systemClock.now() + aheadMs
  return {
    now,
    setTimer(delayMs, fire) {
      if (delayMs > LONGEST_WAIT_MS) return systemClock.setTimer(delayMs, fire)
      const dueMs = now() + delayMs
      return systemClock.setTimer(0, () => {
        aheadMs += Math.max(0, dueMs - now())
        fire()
      })
    },
  }
}
