import type { Metafile } from 'esbuild'
import { graphOf } from './import-graph.ts'

/** What every function may hold: what definitions are written with. */
const ALLOWED = new Set(['turnwise', 'zod'])

/** A package that a bundle loads at its start because a tool's code imports it. */
export interface HeldPackage {
  readonly package: string
  /** The file under `functions/` that imports it. */
  readonly importer: string
  /** As written in the import. */
  readonly specifier: string
  /** The names of the tools whose files bring the importer in. */
  readonly tools: readonly string[]
}

/**
 * The packages that tools' files bring into an entry at load. `tools` gives the name of the tool that a file
 * defines.
 */
export function heldPackages(
  entry: string,
  metafile: Metafile,
  tools: ReadonlyMap<string, string>,
): readonly HeldPackage[] {
  const graph = graphOf(metafile)
  const loaded = reachedFrom(entry, graph)
  const users = new Map<string, string[]>()
  for (const [file, tool] of tools)
    if (loaded.has(file))
      for (const reached of reachedFrom(file, graph))
        users.set(reached, [...(users.get(reached) ?? []), tool])
  return [...users]
    .filter(([importer]) => importer.startsWith('functions/'))
    .flatMap(([importer, names]) =>
      packagesOf(importer, metafile).map((held) => ({ ...held, importer, tools: names })),
    )
}

/** The files that are loaded with a file, itself included. */
function reachedFrom(file: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file])
  // A set also hands out what is added while it is walked.
  for (const each of reached) for (const imported of graph.get(each) ?? []) reached.add(imported)
  return reached
}

function packagesOf(
  importer: string,
  metafile: Metafile,
): readonly Pick<HeldPackage, 'package' | 'specifier'>[] {
  return (metafile.inputs[importer]?.imports ?? [])
    .filter(({ kind, external }) => kind !== 'dynamic-import' && external !== true)
    .map(({ path, original }) => ({ package: packageOf(path), specifier: original ?? path }))
    .filter((held): held is { package: string; specifier: string } => held.package !== undefined)
    .filter((held) => !ALLOWED.has(held.package))
}

function packageOf(path: string): string | undefined {
  return /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1]
}
