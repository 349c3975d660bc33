import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { HelperHello } from './helper-hello.ts'

const helloSchema: z.ZodType<HelperHello> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.string().optional() }),
  z.object({ kind: z.literal('refused'), message: z.string() }),
])

/** A process of the local stack's own. `exited` resolves when it is gone, whatever ended it. */
export interface HelperProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly url: string | undefined
  readonly exited: Promise<void>
  /** Disconnects, which tells the helper to end, and waits until it has. */
  close(): Promise<void>
}

/**
 * Forks a module that must greet with a `HelperHello`; throws with its message when it refuses, and when it dies
 * before. The helper is given `PATH` and `environment`, no more, and must end when IPC disconnects.
 */
export async function startHelper(
  module: URL,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<HelperProcess> {
  const child = fork(fileURLToPath(module), [...parameters], {
    execArgv: [],
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit').then(() => {})
  const hello = await firstMessage(child)
  if (hello.kind === 'refused') {
    await exited
    throw new Error(hello.message)
  }
  if (child.pid === undefined) throw new Error(`${module.pathname} has no process id`)
  return {
    child,
    pid: child.pid,
    url: hello.url,
    exited,
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

async function firstMessage(child: ChildProcess): Promise<HelperHello> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(helloSchema.parse(message)))
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`A helper process ended at start: ${signal ?? code}`)),
    )
  })
}
