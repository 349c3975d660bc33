import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { HostMessage, HostOptions } from './stack-host.ts'

export interface StackHost {
  readonly gatewayUrl: string
  /** SIGKILL to the host and all that it started: functions, gateway, guard. */
  kill(): Promise<void>
}

/** Starts `stack-host.ts` as the head of a process group. `onLambda` is told where Lambda is before any function runs. */
export async function startStackHost(
  options: HostOptions,
  { onLambda, log }: { onLambda: (url: string) => void; log: (line: string) => void },
): Promise<StackHost> {
  const child = fork(fileURLToPath(new URL('./stack-host.ts', import.meta.url)), [JSON.stringify(options)], {
    detached: true, // a group of its own: one signal reaches all of it
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(options.directory, '.turnwise/compile-cache') },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const exited = once(child, 'exit')
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on('line', log)
  const gatewayUrl = await new Promise<string>((resolve, reject) => {
    child.on('message', (message) => {
      const told = message as HostMessage // our own module holds the other end
      if (told.kind === 'lambda') onLambda(told.url)
      else resolve(told.gatewayUrl)
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`The stack's process ended at start: ${signal ?? code}`)),
    )
  })
  return {
    gatewayUrl,
    async kill() {
      const isThere = child.exitCode === null && child.signalCode === null
      if (isThere && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await exited
    },
  }
}
