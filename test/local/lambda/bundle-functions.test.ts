import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleFunctions } from '../../../src/local/lambda/bundle-functions.ts'
import { removeUnusedChunks } from '../../../src/local/lambda/bundle-record.ts'
import { fixture, remove, temporaryDirectory } from './lambda-fixture.ts'

const directory = temporaryDirectory()
afterAll(() => remove(directory))

describe('bundling', () => {
  it('names what went into each bundle', async () => {
    const [bundle] = await bundleFunctions([fixture('journal', 'succeeds')], join(directory, 'names'))
    expect(bundle).toMatchObject({
      name: 'succeeds',
      file: join(directory, 'names/bundles/succeeds/index.mjs'),
    })
    expect(Object.keys(bundle?.metafile.inputs ?? {})).toEqual(['test/local/lambda/fixtures/journal.ts'])
  })

  it('keeps a bundle until an input changes', async () => {
    const entry = join(directory, 'changing.ts')
    copyFileSync(fileURLToPath(new URL('./fixtures/echo.ts', import.meta.url)), entry)
    const functions = [
      fixture('echo', 'handler', { name: 'changing', entry }),
      fixture('journal', 'succeeds'),
    ]
    const reused = async () => (await bundleFunctions(functions, directory)).map((bundle) => bundle.reused)
    expect([await reused(), await reused()]).toEqual([
      [false, false],
      [true, true],
    ])
    writeFileSync(entry, 'export const handler = () => 2')
    expect([await reused(), await reused()]).toEqual([
      [false, true],
      [true, true],
    ])
  })

  it('keeps the chunks that functions share, and of former builds none once they are swept', async () => {
    const own = join(directory, 'shares')
    mkdirSync(own)
    const entries = ['a', 'b'].map((name) => ({ name, entry: join(own, `${name}.ts`) }))
    for (const { name, entry } of entries)
      writeFileSync(
        entry,
        `import { text } from './shared.ts'; export const handler = () => text + '${name}'`,
      )
    const build = async (text: string) => {
      writeFileSync(join(own, 'shared.ts'), `export const text = '${text}'`)
      await bundleFunctions(entries, own)
      return readdirSync(join(own, 'bundles/chunks')).toSorted()
    }
    const first = await build('first')
    const both = await build('the second')
    expect([first.length, both.length]).toEqual([2, 4]) // each with its map
    removeUnusedChunks(join(own, 'bundles'))
    expect(readdirSync(join(own, 'bundles/chunks')).toSorted()).toEqual(
      both.filter((name) => !first.includes(name)),
    )
    removeUnusedChunks(join(own, 'nothing-there'))
  })

  it('gives CommonJS packages the require and the file names that they look for', async () => {
    const entry = join(directory, 'commonjs.cts')
    writeFileSync(entry, `exports.found = [require('node:path').sep, typeof __dirname, typeof __filename]`)
    const [bundle] = await bundleFunctions([{ name: 'commonjs', entry }], directory)
    const loaded = await import(bundle?.file ?? '')
    expect(loaded.default.found).toEqual(['/', 'string', 'string'])
  })
})
