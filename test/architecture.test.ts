import { resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { findCircles } from '../src/cli/import-graph.ts'
import { forbiddenImports, LAYERS, loadedFiles } from './architecture/layers.ts'
import { importsOf, readImports } from './architecture/read-imports.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FIXTURES = resolve(import.meta.dirname, 'fixtures/architecture')
const FOLDERS = ['src', 'functions', 'stacks']

const EVERY_KIND = `// import { no } from './line-comment.ts'
/* import { no } from './block-comment.ts' */
import {
  one,
  two,
} from './several.ts'
import type { One } from './whole.ts'
export * from './passed-on.ts'
import './effect.ts'
import * as z from 'zod'

export const later = () => import('./later.ts')
export const text = "import { no } from './text.ts'"
`

describe('the imports of the sources', () => {
  it('follow the import table', async () => {
    expect(forbiddenImports(await readImports(ROOT, FOLDERS), LAYERS)).toEqual([])
  })

  it('form no circle', async () => {
    expect(findCircles(loadedFiles(await readImports(ROOT, FOLDERS)))).toEqual([])
  })

  it('are all seen: the scanner finds whatever the bundler finds', async () => {
    const seen = await readImports(ROOT, ['src'])
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: [...seen.keys()],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outdir: 'unused',
      write: false,
      metafile: true,
    })
    const bundled = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
      imports.map(({ path, original }) => `${file} imports ${original ?? path}`),
    )
    const scanned = new Set(
      [...seen].flatMap(([file, all]) => all.map(({ specifier }) => `${file} imports ${specifier}`)),
    )
    expect(bundled.length).toBeGreaterThan(20)
    expect(bundled.filter((each) => !scanned.has(each))).toEqual([])
  })
})

describe('the architecture test', () => {
  const forbiddenIn = async (fixture: string) =>
    forbiddenImports(await readImports(`${FIXTURES}/${fixture}`, FOLDERS), LAYERS)

  it('fails on an import from a folder above, of a type and a lazy one too', async () => {
    expect((await forbiddenIn('upward')).toSorted()).toEqual([
      'src/core/lazy.ts:3 imports ../store/table.ts, which src/core may not',
      'src/core/types.ts:1 imports ../store/table.ts, which src/core may not',
      'src/core/values.ts:1 imports ../store/table.ts, which src/core may not',
      'src/store/table.ts:1 imports ../cli/command.ts, which src/store may not',
    ])
  })

  it('fails on a package in a folder that does not own its concern', async () => {
    expect((await forbiddenIn('packages')).toSorted()).toEqual([
      'src/core/file.ts:1 imports node:fs, which src/core may not',
      'src/runtime/ask.ts:1 imports openai, which src/runtime may not',
      'src/runtime/send.ts:1 imports @aws-sdk/client-lambda, which src/runtime may not',
    ])
  })

  it('fails on a definition that reaches past the public surface', async () => {
    expect(await forbiddenIn('definitions')).toEqual([
      'functions/tools/inside.ts:1 imports ../../src/core/inside.ts, which functions may not',
    ])
  })

  it('fails on a file in a folder that the table does not know', async () => {
    expect(await forbiddenIn('unknown')).toEqual(['src/helpers/misc.ts is in no folder of the import table'])
  })

  it('fails on a circle, and not on one that only types close', async () => {
    const imports = await readImports(`${FIXTURES}/circle`, FOLDERS)
    expect(forbiddenImports(imports, LAYERS)).toEqual([])
    const [circle, ...others] = findCircles(loadedFiles(imports))
    expect(circle?.toSorted()).toEqual([
      'src/core/first.ts',
      'src/core/first.ts',
      'src/core/second.ts',
      'src/core/third.ts',
    ])
    expect(others).toEqual([])
  })

  it('reads imports over several lines and none in comments or text', () => {
    expect(importsOf('a/b.ts', EVERY_KIND)).toEqual([
      { specifier: './several.ts', file: 'a/several.ts', typeOnly: false, line: 3 },
      { specifier: './whole.ts', file: 'a/whole.ts', typeOnly: true, line: 7 },
      { specifier: './passed-on.ts', file: 'a/passed-on.ts', typeOnly: false, line: 8 },
      { specifier: './effect.ts', file: 'a/effect.ts', typeOnly: false, line: 9 },
      { specifier: 'zod', file: undefined, typeOnly: false, line: 10 },
      { specifier: './later.ts', file: 'a/later.ts', typeOnly: false, line: 12 },
    ])
  })
})
