import { build, type Metafile } from 'esbuild'

/** By file, the files that it imports when it is loaded; what `import()` loads later is left out. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** The imports among a project's own files, as the bundler sees them: imports of types alone do not count. */
export async function readImportGraph(directory: string, files: readonly string[]): Promise<ImportGraph> {
  const { metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [...files],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return graphOf(metafile)
}

export function graphOf(metafile: Metafile): ImportGraph {
  const edges = Object.entries(metafile.inputs).map(([file, { imports }]) => {
    const loaded = imports.filter(({ kind, external }) => kind !== 'dynamic-import' && external !== true)
    return [file, loaded.map(({ path }) => path)] as const
  })
  return new Map(edges)
}

/** The circles of a graph, one for each import that closes one: `['a.ts', 'b.ts', 'a.ts']`. */
export function findCircles(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file)
    if (start !== -1) {
      circles.push([...trail.slice(start), file])
      return
    }
    if (done.has(file)) return
    for (const imported of graph.get(file) ?? []) visit(imported, [...trail, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return circles
}
