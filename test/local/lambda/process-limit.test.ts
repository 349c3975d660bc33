import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LambdaOptions } from '../../../src/local/lambda/lambda-options.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import {
  eventually,
  fixture,
  invoke,
  readJournal,
  remove,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

let directory: string
let lambda: LocalLambda
const journal = () => join(directory, 'journal')
const gate = () => join(directory, 'gate')

beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(async () => {
  await lambda.close()
  remove(directory)
})

async function start(options: Partial<LambdaOptions>) {
  lambda = await startQuietly({
    directory,
    environment: { JOURNAL: journal() },
    functions: ['a', 'b', 'c'].map((name) => fixture('journal', 'waitsForFile', { name })),
    ...options,
  })
}

describe('the processes of all functions', () => {
  it('are at most eight for forty calls at once, and each call gets its answer', {
    timeout: 60_000,
  }, async () => {
    await start({ maximumProcesses: 8 })
    const calls = Array.from({ length: 40 }, (_, i) =>
      invoke(lambda.url, ['a', 'b', 'c'][i % 3] ?? '', { file: gate() }),
    )
    await eventually(() => readJournal(journal()).length === 8)
    expect(functionProcesses()).toHaveLength(8)

    let most = 0
    const counting = setInterval(() => {
      most = Math.max(most, functionProcesses().length)
    }, 5)
    writeFileSync(gate(), '')
    const answers = await Promise.all(calls)
    clearInterval(counting)

    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
    expect(new Set(readJournal(journal()).map(({ requestId }) => requestId)).size).toBe(40)
    expect(most).toBe(8)
  })

  it('make room for another function by ending an idle one', async () => {
    await start({ maximumProcesses: 1 })
    writeFileSync(gate(), '')
    const pids: number[] = []
    for (const name of ['a', 'b', 'a'])
      pids.push((await invoke(lambda.url, name, { file: gate() })).payload.pid)
    expect(new Set(pids).size).toBe(3)
    expect(functionProcesses()).toEqual([pids[2]])
  })

  it('refuse what would wait beyond the bound', async () => {
    await start({ maximumProcesses: 1, maximumWaiting: 1 })
    const running = invoke(lambda.url, 'a', { file: gate() })
    await eventually(() => readJournal(journal()).length === 1)
    const both = ['b', 'c'].map((name) =>
      invoke(lambda.url, name, { file: gate() }).catch((error: unknown) => error),
    )
    expect(await Promise.race(both)).toMatchObject({
      name: 'TooManyRequestsException',
      $metadata: { httpStatusCode: 429 },
    })
    writeFileSync(gate(), '')
    expect([await running, ...(await Promise.all(both))]).toContainEqual(
      expect.objectContaining({ status: 200 }),
    )
  })
})

describe('synchronous calls', () => {
  it('are taken while more events wait for their time than are taken', async () => {
    const asynchronous = { retries: 2, maximumEventAgeSeconds: 21_600 } as const
    const functions = [fixture('journal', 'fails', { asynchronous }), fixture('echo', 'echoes')]
    await start({ functions, maximumWaiting: 1 })
    await invoke(lambda.url, 'fails', {}, 'Event')
    await eventually(() => readJournal(journal()).length === 1)
    expect(await invoke(lambda.url, 'echoes', 1)).toMatchObject({ status: 200, payload: 1 })
    await expect(invoke(lambda.url, 'fails', {}, 'Event')).rejects.toMatchObject({
      name: 'TooManyRequestsException',
      Reason: 'CallerRateLimitExceeded',
    })
  })
})

/** Children of this process that run a function of this directory. */
function functionProcesses(): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  return children
    .trim()
    .split(' ')
    .map(Number)
    .filter((pid) => isFunction(pid))
}

function isFunction(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join(directory, 'bundles'))
  } catch {
    return false // it ended meanwhile
  }
}
