import { existsSync, type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { basename, join, sep } from 'node:path'

/** Watches directories with all that is below them, but for `.turnwise`, `node_modules` and `.git`. */
export interface TreeWatch {
  /** One that is watched already, as below another, is none more. One that is not there is watched when it comes. */
  add(directory: string): void
  close(): void
}

/** Something at this absolute path, or below it where it is a directory, came, went or changed. */
export interface TreeChange {
  readonly path: string
  readonly isDirectory: boolean
}

export interface TreeWatchDependencies {
  readonly changed: (change: TreeChange) => void
  readonly log: (line: string) => void
  /** Default: Node's. */
  readonly watchDirectory?: typeof watch
}

/** What an import may lead to. */
const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|json)$/

/** Whether a file may be another than before. */
export function concerns({ path, isDirectory }: TreeChange, file: string): boolean {
  return file === path || (isDirectory && file.startsWith(path + sep))
}

/** Whether a source may be there that was not. */
export function mayBringSource({ path, isDirectory }: TreeChange): boolean {
  return isDirectory || SOURCE_FILE.test(path)
}

const IGNORED = new Set(['.turnwise', 'node_modules', '.git'])

/** How often a directory is looked for that went away. */
const LOOK_AGAIN_MS = 200

/**
 * Node's own recursive watch holds each file on Linux, and does not see a directory that is deleted and made again; this
 * one holds each directory and opens it anew. What cannot be watched (no watches are left: ENOSPC) is a line in the log.
 */
export function createTreeWatch(deps: TreeWatchDependencies): TreeWatch {
  const { changed, log, watchDirectory = watch } = deps
  const watchers = new Map<string, FSWatcher>() // by directory
  const roots = new Set<string>()
  const refusals = new Set<string>()
  let looking: NodeJS.Timeout | undefined

  return {
    add(directory) {
      if (watchers.has(directory)) return
      roots.add(directory)
      if (!open(directory)) lookAgain()
    },
    close() {
      clearTimeout(looking)
      roots.clear()
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }

  /** False: there is no such directory. */
  function open(directory: string): boolean {
    if (watchers.has(directory)) return true
    try {
      const watcher = watchDirectory(directory, { persistent: false }, (event, name) =>
        note(directory, event, name),
      )
      watcher.on('error', (error) => refuse(directory, error))
      watchers.set(directory, watcher)
      for (const entry of readdirSync(directory, { withFileTypes: true }))
        if (entry.isDirectory() && !IGNORED.has(entry.name)) open(join(directory, entry.name))
    } catch (error) {
      if (!existsSync(directory)) {
        forget(directory)
        return false
      }
      refuse(directory, error)
    }
    return true
  }

  function forget(directory: string): void {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }

  /** Without a name anything in the directory may have changed. */
  function note(directory: string, event: string, name: string | null): void {
    if (name === null) changed({ path: directory, isDirectory: true })
    else if (event !== 'rename') changed({ path: join(directory, name), isDirectory: false })
    else if (!IGNORED.has(name)) noteRename(directory, name)
  }

  /** Something of this name came or went. A directory that goes away gives its own name, and another may be there by now. */
  function noteRename(directory: string, name: string): void {
    if (name === basename(directory)) reopen(directory)
    const path = join(directory, name)
    const wasDirectory = watchers.has(path)
    reopen(path)
    if (!wasDirectory && !watchers.has(path)) changed({ path, isDirectory: false })
  }

  /** Watches what is at the path now, if that is a directory. */
  function reopen(path: string): void {
    const known = [...watchers.keys()].filter((each) => each === path || each.startsWith(path + sep))
    for (const each of known) forget(each)
    const isThere = isDirectory(path) && open(path)
    if (isThere || known.length > 0) changed({ path, isDirectory: true })
    if (!isThere && roots.has(path)) lookAgain()
  }

  function lookAgain(): void {
    looking ??= setTimeout(() => {
      looking = undefined
      for (const root of roots) if (!watchers.has(root) && isDirectory(root)) reopen(root)
      if ([...roots].some((root) => !watchers.has(root))) lookAgain()
    }, LOOK_AGAIN_MS)
    looking.unref()
  }

  function refuse(directory: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : reason
    if (refusals.has(code)) return
    refusals.add(code)
    log(`Changes in ${directory}, and perhaps in other directories, are not seen: ${reason}`)
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
