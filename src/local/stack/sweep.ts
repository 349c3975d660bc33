/** Sends the sweep at once, for what was left open when the stack was last stopped, and then again and again. */
export function startSweep(everyMs: number, send: () => Promise<void>, log: (line: string) => void) {
  const tick = () => void send().catch((error) => log(`A sweep was not sent: ${error}`))
  tick()
  const timer = setInterval(tick, everyMs)
  return {
    async close() {
      clearInterval(timer)
    },
  }
}
