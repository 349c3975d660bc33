import { type BuildFailure, build, type Metafile, type Plugin } from 'esbuild'
import type { PlannedFunction } from '../compile/plan.ts'
import { entryText } from './entries.ts'

export interface BundlePlaces {
  /** The project, absolute. */
  readonly directory: string
  /** Turnwise's sources, which have the doors; absolute. */
  readonly sources: string
}

export type Bundled =
  | { readonly kind: 'bundled'; readonly metafile: Metafile }
  /** Each error with its file and line. */
  | { readonly kind: 'failed'; readonly errors: readonly string[] }

/**
 * Bundles functions in memory and tells what went into each; paths are from the project's directory, an entry
 * is `entryFile(id)`.
 */
export async function bundleEntries(
  functions: readonly PlannedFunction[],
  places: BundlePlaces,
): Promise<Bundled> {
  try {
    const { metafile } = await build({
      absWorkingDir: places.directory,
      entryPoints: functions.map(({ id }) => entryFile(id)),
      plugins: [unwrittenEntries(functions, places)],
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      outdir: 'unused',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    return { kind: 'bundled', metafile }
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    const errors = error.errors.map(({ text, location }) =>
      location === null ? text : `${location.file}:${location.line}: ${text}`,
    )
    return { kind: 'failed', errors }
  }
}

/** What an entry is called among the inputs of a bundle. */
export function entryFile(id: string): string {
  return `entry:${id}`
}

/**
 * Gives the bundler the entries' texts as if they stood in the project's directory: `check` writes nothing.
 */
function unwrittenEntries(functions: readonly PlannedFunction[], places: BundlePlaces): Plugin {
  const { directory } = places
  const texts = new Map(
    functions.map((planned) => [planned.id, entryText(planned, { ...places, folder: directory })]),
  )
  return {
    name: 'unwritten-entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice('entry:'.length),
        namespace: 'entry',
      }))
      onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
        contents: texts.get(path) ?? '',
        resolveDir: directory,
        loader: 'ts',
      }))
    },
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}
