import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { concerns, createTreeWatch, mayBringSource, type TreeChange } from '../tree-watch.ts'
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

/**
 * Watches the packages, each the nearest directory with a package.json, of the sources that went into the bundles, those in
 * node_modules excepted. What does not compile keeps its bundle, says why in the log, and is tried again when any source
 * there changes.
 */
export function createSourceWatch({ directory, rebuilt, log }: SourceWatchDependencies): SourceWatch {
  const functions = new Map<
    string,
    { readonly source: WatchedFunction; readonly inputs: ReadonlySet<string> }
  >()
  const tree = createTreeWatch({ changed: noteChange, log })
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
      watchSources()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      tree.close()
      await building
    },
  }

  function watchSources(): void {
    for (const file of new Set([...functions.values()].flatMap(({ inputs }) => [...inputs]))) {
      if (!existsSync(file)) continue // not each of esbuild's inputs is a file
      tree.add(packageOf(file) ?? dirname(file))
      tree.add(dirname(file)) // what is ignored in the package may hold sources, such as entries
    }
  }

  function noteChange(change: TreeChange): void {
    const names = [...functions]
      .filter(([, { inputs }]) => [...inputs].some((file) => concerns(change, file)))
      .map(([name]) => name)
    // What failed may have lacked this very file.
    if (mayBringSource(change)) names.push(...failed)
    if (names.length === 0 || closed) return
    for (const name of names) changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      building = building.then(rebuild).catch((error) => log(`Sources were not bundled: ${error}`))
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
    watchSources()
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
        if (closed) return made
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

/** Absolute paths. */
function inputsOf(metafile: FunctionBundle['metafile']): ReadonlySet<string> {
  const paths = Object.keys(metafile.inputs).filter((path) => !path.split('/').includes('node_modules'))
  return new Set(paths.map((path) => resolve(path)))
}

function packageOf(file: string): string | undefined {
  for (let directory = dirname(file); dirname(directory) !== directory; directory = dirname(directory))
    if (existsSync(join(directory, 'package.json'))) return directory
  return undefined
}
