import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type FunctionBundle, rebuildFunctions } from './bundle-functions.ts'
import type { LocalFunction } from './local-function.ts'

type WatchedFunction = Pick<LocalFunction, 'name' | 'entry'>

/** Bundles functions anew when their sources change. */
export interface SourceWatch {
  add(functions: readonly WatchedFunction[], bundles: readonly FunctionBundle[]): void
  /** Resolves when nothing is being bundled. */
  close(): Promise<void>
}

export interface SourceWatchDependencies {
  /** Where the bundles are. */
  readonly directory: string
  /** The bundles on disk are new: what begins from now on loads them. */
  readonly rebuilt: (names: readonly string[]) => void
  readonly log: (line: string) => void
}

/** An editor's save is several events. */
const QUIET_MS = 50

const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|json)$/

/**
 * Watches the directories of the sources that went into the bundles, those in node_modules excepted. What does not
 * compile keeps its bundle, says why in the log, and is tried again at the next change.
 */
export function createSourceWatch({ directory, rebuilt, log }: SourceWatchDependencies): SourceWatch {
  const functions = new Map<
    string,
    { readonly source: WatchedFunction; readonly inputs: ReadonlySet<string> }
  >()
  const watchers = new Map<string, FSWatcher>() // by directory
  const changed = new Set<string>() // names of functions, as in the next
  const failed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let building: Promise<void> = Promise.resolve()
  let closed = false

  return {
    add: (sources, bundles) => {
      const sourceOf = new Map(sources.map((source) => [source.name, source]))
      for (const { name, metafile } of bundles) {
        const source = sourceOf.get(name)
        if (source !== undefined) functions.set(name, { source, inputs: inputsOf(metafile) })
      }
      watchDirectories()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      await building
    },
  }

  function watchDirectories(): void {
    const wanted = new Set(
      [...functions.values()].flatMap(({ inputs }) => [...inputs].map((file) => dirname(file))),
    )
    for (const [path, watcher] of watchers) {
      if (wanted.has(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    for (const path of wanted) {
      if (watchers.has(path) || closed) continue
      const watcher = watch(path, { persistent: false }, (_event, name) => noteChange(path, name))
      watcher.on('error', (error) => log(`Changes in ${path} are not seen any more: ${error.message}`))
      watchers.set(path, watcher)
    }
  }

  /** Without a name anything in the directory may have changed. */
  function noteChange(path: string, name: string | null): void {
    const isChanged = (file: string) => (name === null ? dirname(file) === path : file === join(path, name))
    for (const [functionName, { inputs }] of functions) {
      if ([...inputs].some(isChanged)) changed.add(functionName)
    }
    // What failed may have lacked this very file.
    if (name === null || SOURCE_FILE.test(name)) for (const functionName of failed) changed.add(functionName)
    if (changed.size === 0) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      building = building.then(rebuild)
    }, QUIET_MS)
  }

  async function rebuild(): Promise<void> {
    const names = [...changed]
    changed.clear()
    const made = (await buildTogether(names)) ?? (await buildEach(names))
    if (made.length === 0 || closed) return
    for (const { name, metafile } of made) {
      failed.delete(name)
      const known = functions.get(name)
      if (known !== undefined) functions.set(name, { ...known, inputs: inputsOf(metafile) })
    }
    watchDirectories()
    rebuilt(made.map(({ name }) => name))
    log(`Rebuilt: ${made.map(({ name }) => name).join(', ')}`)
  }

  async function buildTogether(names: readonly string[]): Promise<readonly FunctionBundle[] | undefined> {
    try {
      return await rebuildFunctions(sourcesOf(names), directory)
    } catch {
      return undefined
    }
  }

  /** One that does not compile holds up no other. */
  async function buildEach(names: readonly string[]): Promise<readonly FunctionBundle[]> {
    const made: FunctionBundle[] = []
    for (const name of names) {
      try {
        made.push(...(await rebuildFunctions(sourcesOf([name]), directory)))
      } catch (error) {
        failed.add(name)
        log(`${name} keeps its old code: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return made
  }

  function sourcesOf(names: readonly string[]): readonly WatchedFunction[] {
    return names.flatMap((name) => functions.get(name)?.source ?? [])
  }
}

/** Absolute paths; of esbuild's inputs those that are files of the project. */
function inputsOf(metafile: FunctionBundle['metafile']): ReadonlySet<string> {
  const paths = Object.keys(metafile.inputs).filter((path) => !path.split('/').includes('node_modules'))
  return new Set(paths.map((path) => resolve(path)).filter((path) => existsSync(path)))
}
