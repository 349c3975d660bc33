import { startHelper } from '../helper-process.ts'
import type { FunctionProcess } from './function-process.ts'

/** A process that outlives this one by a moment, to end what a killed stand-in would leave running. */
export interface OrphanGuard {
  watch(process: FunctionProcess): void
  close(): Promise<void>
}

/** To the guard: a process of a function began, or is gone. */
export interface GuardMessage {
  readonly kind: 'began' | 'gone'
  readonly pid: number
}

/**
 * Starts the guard. A function's process ends by itself when it loses its parent, unless it is in a loop: the guard
 * notices too, and kills. It holds the lock on `directory` meanwhile, so a successor on the same directory (which
 * counts what was running as crashed) starts when nothing of this one runs any more. Throws when another stand-in
 * works there.
 */
export async function startOrphanGuard(directory: string, log: (line: string) => void): Promise<OrphanGuard> {
  const guard = await startHelper(new URL('./orphan-guard-process.ts', import.meta.url), [directory])
  let closing = false
  guard.exited.then(() => {
    if (!closing) log('The guard of the function processes is gone: what loops may outlive this process.')
  })
  const tell = (message: GuardMessage) => {
    if (guard.child.connected) guard.child.send(message, () => {}) // a dead guard is logged above
  }
  return {
    watch(process) {
      const { pid } = process
      if (pid === undefined) return
      tell({ kind: 'began', pid })
      process.exited.then(() => tell({ kind: 'gone', pid }))
    },
    async close() {
      closing = true
      await guard.close()
    },
  }
}
