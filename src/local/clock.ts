/**
 * Time as the local stand-ins see it: given as a parameter, so that a test moves it and waits for nothing.
 * `now` is in milliseconds since 1970. `setTimer` calls `fire` once after `delayMs`; what it returns cancels it.
 */
export interface Clock {
  now(): number
  setTimer(delayMs: number, fire: () => void): () => void
}

/** The machine's own time. A timer alone does not keep the process alive: open servers do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
