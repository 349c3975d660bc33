import { readFileSync } from 'node:fs'

const POLL_MS = 50

/**
 * Calls `onExceeded` once when the process holds more than `memoryMb` of resident memory, in the heap or outside it.
 * Looks every 50 ms of the machine's time at /proc; where there is none, the heap alone is bounded, by V8. Returns
 * what ends the watch.
 */
export function watchMemory(
  pid: number | undefined,
  memoryMb: number,
  onExceeded: (residentMb: number) => void,
): () => void {
  if (pid === undefined) return () => {}
  const poll = setInterval(() => {
    const residentMb = readResidentMb(pid)
    if (residentMb === undefined || residentMb <= memoryMb) return
    clearInterval(poll)
    onExceeded(residentMb)
  }, POLL_MS)
  poll.unref()
  return () => clearInterval(poll)
}

function readResidentMb(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024)
  } catch {
    return undefined // gone, or not Linux
  }
}
