import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Proof that this process alone works in a directory. */
export interface DirectoryLock {
  release(): void
}

/**
 * Takes `directory` (made if absent) for this process, or throws an error that names the process that has it.
 *
 * The lock is SQLite's own on `lock.sqlite`: the operating system drops it with the process, so what a killed
 * process leaves is never in the way and no process id has to be guessed alive. `lock.pid` is for people to read.
 * Blocks for up to `waitMs` (default 2,000), as a predecessor may be finishing its last requests.
 */
export function lockDirectory(directory: string, waitMs = 2_000): DirectoryLock {
  mkdirSync(directory, { recursive: true })
  const pidFile = join(directory, 'lock.pid')
  const database = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: waitMs })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new Error(
      `Process ${readHolder(pidFile)} works in ${directory} already; two would corrupt it. ` +
        'End that process or choose another directory.',
      { cause },
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return {
    release() {
      rmSync(pidFile, { force: true })
      database.close()
    },
  }
}

function readHolder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim()
  } catch {
    return '(unknown)'
  }
}
