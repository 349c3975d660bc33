// The guard's own process: `node orphan-guard-process.ts <directory>`, started by `startOrphanGuard`.
import { lockDirectory } from '../directory-lock.ts'
import { greet } from '../helper-hello.ts'
import type { GuardMessage } from './orphan-guard.ts'

const [directory = ''] = process.argv.slice(2)
const running = new Set<number>()

// What is sent to the whole terminal is meant for the parent, and this process has to outlive it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

try {
  const lock = lockDirectory(directory)
  process.on('message', (message) => note(message as GuardMessage)) // only our parent holds the channel
  process.once('disconnect', () => {
    for (const pid of running) kill(pid)
    lock.release()
    process.exit(0)
  })
  await greet({ kind: 'ready' })
  if (!process.connected) process.emit('disconnect')
} catch (error) {
  await greet({ kind: 'refused', message: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

function note({ kind, pid }: GuardMessage): void {
  if (kind === 'began') running.add(pid)
  else running.delete(pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it ended by itself
  }
}
