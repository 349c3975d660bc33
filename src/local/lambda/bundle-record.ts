import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Metafile, version } from 'esbuild'

/** What a bundle was made from. Written beside it by us alone, so it is read without a schema. */
interface BundleRecord {
  readonly esbuild: string
  readonly madeWith: string
  /** Of each input. */
  readonly fingerprints: Readonly<Record<string, string>>
  readonly metafile: Metafile
}

/** The metafile of the bundle on disk, if it was made with the same from what the inputs still are. */
export function readKept(bundles: string, name: string, madeWith: string): Metafile | undefined {
  const record = readRecord(join(bundles, name, 'bundle.json'))
  const isKept =
    record?.esbuild === version &&
    record.madeWith === madeWith &&
    existsSync(join(bundles, name, 'index.mjs')) &&
    Object.entries(record.fingerprints).every(([path, known]) => fingerprint(path) === known)
  return isKept ? record.metafile : undefined
}

/** To be called when the bundle itself is written: what a crash leaves without a record is made again. */
export function writeRecord(bundles: string, name: string, madeWith: string, metafile: Metafile): void {
  const fingerprints = Object.fromEntries(
    Object.keys(metafile.inputs).map((path) => [path, fingerprint(path)]),
  )
  const record: BundleRecord = { esbuild: version, madeWith, fingerprints, metafile }
  writeFileSync(join(bundles, name, 'bundle.json'), JSON.stringify(record))
}

/**
 * Deletes the chunks that no record names, as those of former builds are. For a time when nothing runs: what was started
 * before a build may load its chunks long after.
 */
export function removeUnusedChunks(bundles: string): void {
  const records = namesIn(bundles).map((name) => readRecord(join(bundles, name, 'bundle.json')))
  const used = new Set(
    records.flatMap((record) => Object.keys(record?.metafile.outputs ?? {}).map((path) => basename(path))),
  )
  for (const name of namesIn(join(bundles, 'chunks')))
    if (!used.has(name.replace(/\.map$/, ''))) rmSync(join(bundles, 'chunks', name))
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

function readRecord(file: string): BundleRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // absent, or cut off by a crash
  }
}

/** Packages come with a fixed time, so the size counts as well. Some of esbuild's inputs are no files. */
function fingerprint(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'no file' : `${stats.mtimeMs} ${stats.size}`
}
