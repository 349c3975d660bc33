import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Time of a stack's functions and gateway, which read it from a file, so that what is due in minutes need not be waited for. */
export interface SkippableTime {
  /** To be given to every process that is to live in this time. */
  readonly environment: Readonly<Record<string, string>>
  skip(ms: number): void
  remove(): void
}

export function createSkippableTime(): SkippableTime {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-time-'))
  const file = join(directory, 'skipped-ms')
  let skippedMs = 0
  const write = () => {
    writeFileSync(`${file}.new`, String(skippedMs))
    renameSync(`${file}.new`, file) // a reader sees the one or the other
  }
  write()
  return {
    environment: {
      NODE_OPTIONS: `--import=${new URL('./skip-time.mjs', import.meta.url).href}`,
      SKIPPED_MS_FILE: file,
    },
    skip(ms) {
      skippedMs += ms
      write()
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
