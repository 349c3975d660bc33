import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LambdaOptions } from '../../../src/local/lambda/lambda-options.ts'
import type { LocalFunction } from '../../../src/local/lambda/local-function.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { eventually, fixture, invoke, remove, startQuietly, temporaryDirectory } from './lambda-fixture.ts'

let directory: string
let sources: string
let lambda: LocalLambda
const logged: string[] = []

beforeEach(() => {
  directory = temporaryDirectory()
  sources = temporaryDirectory()
  logged.length = 0
})
afterEach(async () => {
  await lambda.close()
  remove(directory)
  remove(sources)
})

async function start(functions: readonly LocalFunction[], more: Partial<LambdaOptions>): Promise<void> {
  lambda = await startQuietly({ directory, functions, log: (line) => logged.push(line), ...more })
}

const save = (file: string, text: string) => writeFileSync(join(sources, file), text)
const source = (name: string) =>
  fixture('echo', 'handler', { name, entry: join(sources, `${name}.ts`), timeoutSeconds: 60 })
const answerOf = async (name: string, event: unknown = {}) => (await invoke(lambda.url, name, event)).payload
/** Sooner or later: what happens to directories may be bundled more than once. */
const answers = (name: string, answer: string) =>
  expect.poll(() => answerOf(name), { timeout: 10_000 }).toBe(answer)
const rebuilt = (names: string) => eventually(() => logged.includes(`Rebuilt: ${names}`))

describe('a function whose process is never used again', () => {
  it('leaves no state behind', async () => {
    save('counts.ts', 'let count = 0; export const handler = async () => ++count')
    await start([source('counts')], { reuse: 'never', maximumProcesses: 1 })
    expect([await answerOf('counts'), await answerOf('counts')]).toEqual([1, 1])
  })
})

describe('a function whose source changes', () => {
  it('runs its new code; what runs of the old ends first', async () => {
    save('words.ts', `export const word: string = 'old'`)
    save(
      'greets.ts',
      `import { existsSync } from 'node:fs'
      import { word } from './words.ts'
      export async function handler(event: { gate?: string }) {
        console.log('began')
        while (event.gate && !existsSync(event.gate)) await new Promise((resolve) => setTimeout(resolve, 10))
        return word
      }`,
    )
    save('other.ts', `export const handler = async () => process.pid`)
    await start([source('greets'), source('other')], { watch: true })
    const gate = join(sources, 'gate')
    const pid = await answerOf('other')
    const busy = answerOf('greets', { gate })
    await eventually(() => logged.some((line) => line.endsWith('began')))

    save('words.ts', `export const word: string = 'new'`)
    await rebuilt('greets')
    expect(await answerOf('greets')).toBe('new')
    save('gate', '')
    expect(await busy).toBe('old')
    expect(await Promise.all([answerOf('greets'), answerOf('greets')])).toEqual(['new', 'new'])
    expect(await answerOf('other')).toBe(pid)
  })

  it('keeps its old code while the new does not compile, which holds up no other', async () => {
    save('first.ts', `export const handler = async () => 'first'`)
    save('second.ts', `export const handler = async () => 'second'`)
    await start([source('first'), source('second')], { watch: true })
    save('first.ts', `export const handler = async () => {`)
    save('second.ts', `export const handler = async () => 'second, new'`)
    await rebuilt('second')
    const problem = await eventually(() =>
      logged.find((line) => line.startsWith('first keeps its old code: ')),
    )
    expect(problem).toMatch(/first\.ts:1:\d+: ERROR: Unexpected end of file/)
    expect([await answerOf('first'), await answerOf('second')]).toEqual(['first', 'second, new'])

    save('first.ts', `import { text } from './text.ts'; export const handler = async () => text`)
    await eventually(() => logged.some((line) => line.includes('Could not resolve "./text.ts"')))
    save('text.ts', `export const text = 'first, new'`)
    await rebuilt('first')
    expect(await answerOf('first')).toBe('first, new')
  })

  it('runs its new code after its directory was deleted, or moved away, and made again', async () => {
    const saveWord = (word: string) => {
      mkdirSync(join(sources, 'words/deep'), { recursive: true })
      save('words/deep/word.ts', `export const word = '${word}'`)
    }
    saveWord('old')
    save('says.ts', `import { word } from './words/deep/word.ts'; export const handler = async () => word`)
    await start([source('says')], { watch: true })
    rmSync(join(sources, 'words'), { recursive: true })
    saveWord('after it was deleted')
    await answers('says', 'after it was deleted')

    logged.length = 0
    renameSync(join(sources, 'words'), join(sources, 'away'))
    await eventually(() => logged.some((line) => line.includes('Could not resolve "./words/deep/word.ts"')))
    saveWord('after it was moved')
    await answers('says', 'after it was moved')

    saveWord('later')
    await answers('says', 'later')
  })

  it('runs its new code when what it lacked comes in a new directory, or the whole project comes again', async () => {
    save('package.json', '{}')
    mkdirSync(join(sources, 'functions'))
    save('functions/says.ts', `export const handler = async () => 'old'`)
    const says = { ...source('says'), entry: join(sources, 'functions/says.ts') }
    await start([says], { watch: true })
    save(
      'functions/says.ts',
      `import { word } from '../library/words/word.ts'; export const handler = async () => word`,
    )
    await eventually(() => logged.some((line) => line.startsWith('says keeps its old code: ')))
    mkdirSync(join(sources, 'library/words'), { recursive: true })
    save('library/words/word.ts', `export const word = 'from a new directory'`)
    await answers('says', 'from a new directory')

    logged.length = 0
    renameSync(sources, `${sources}-away`)
    await eventually(() => logged.some((line) => line.startsWith('says keeps its old code: ')))
    renameSync(`${sources}-away`, sources)
    save('library/words/word.ts', `export const word = 'again'`)
    await answers('says', 'again')
  })

  it('is let alone once the stand-in closes, in the middle of a build too', async () => {
    save('says.ts', `export const handler = async () => 1`)
    await start([source('says')], { watch: true })
    logged.length = 0
    save('says.ts', `export const handler = async () => 2`)
    await new Promise((resolve) => setTimeout(resolve, 55)) // it begins after 50 ms of quiet
    await lambda.close()
    const known = [...logged]
    save('says.ts', `export const handler = async () => {`)
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(logged).toEqual(known)
  })
})
