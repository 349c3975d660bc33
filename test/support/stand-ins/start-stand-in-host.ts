import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { HostOptions, HostUrls } from './stand-in-host.ts'

export interface StandInHost {
  readonly urls: HostUrls
  /** SIGKILL to the host and to all that it started. */
  kill(): Promise<void>
}

/** Starts stand-ins in a process group of their own, which is killed at the latest when the test is over. */
export async function startStandInHost(options: HostOptions): Promise<StandInHost> {
  const host = fileURLToPath(new URL('./stand-in-host.ts', import.meta.url))
  const child = spawn(process.execPath, [host, JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    const isThere = child.exitCode === null && child.signalCode === null
    if (isThere && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const [line] = await once(createInterface(child.stdout), 'line')
  const urls: HostUrls = JSON.parse(String(line))
  return { urls, kill }
}
