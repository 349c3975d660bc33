import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LambdaOptions } from '../../../src/local/lambda/lambda-options.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import {
  eventually,
  fixture,
  invokeWith,
  readJournal,
  remove,
  startHost,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

const directory = temporaryDirectory()
const clock = createManualClock()
const optionsIn = (path: string): LambdaOptions => ({
  directory: path,
  functions: ['waitsForFile', 'fails'].map((name) => fixture('journal', name)),
  environment: { JOURNAL: join(path, 'journal') },
})
const gate = join(directory, 'gate') // opened once
let lambda: LocalLambda
let url: string
let before = 0
const journal = () => readJournal(join(directory, 'journal')).slice(before)

beforeAll(async () => {
  lambda = await startQuietly({ ...optionsIn(directory), clock })
  url = lambda.url
})
beforeEach(() => {
  before += journal().length
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

const DAY_MS = 24 * 60 * 60_000
const UNKNOWN = [404, { kind: 'unknown' }]
const RUNNING = [200, { kind: 'running' }]
const ENDED = [200, { kind: 'ended' }]

const call = (id: string, name = 'waitsForFile', at = url, headers: Record<string, string> = {}) =>
  invokeWith(
    at,
    { FunctionName: name, Payload: JSON.stringify({ file: gate }) },
    { 'x-turnwise-invocation-id': id, ...headers },
  )

/** Any later request acknowledges. */
const acknowledge = (ids: string) =>
  invokeWith(url, { FunctionName: 'fails', InvocationType: 'DryRun' }, { 'x-turnwise-acknowledged': ids })

async function look(id: string, at = url): Promise<unknown> {
  const response = await fetch(`${at}/invocations/${encodeURIComponent(id)}`)
  return [response.status, await response.json()]
}

describe('an invocation that its caller has named', () => {
  it('runs once for all who ask for it, while it runs and after it', async () => {
    const both = [call('map/7'), call('map/7')]
    await eventually(() => journal().length === 1)
    expect(await look('map/7')).toEqual(RUNNING)
    writeFileSync(gate, '')
    const [first, second] = await Promise.all(both)
    expect(first).toMatchObject({ status: 200, payload: { pid: journal()[0]?.pid } })
    expect(second).toEqual(first)
    expect(await call('map/7')).toEqual(first)
    expect(await look('map/7')).toEqual(ENDED)
    expect(journal()).toHaveLength(1)
  })

  it('is not run again when it failed', async () => {
    const first = await call('failed', 'fails')
    expect(first).toMatchObject({ functionError: 'Unhandled', payload: { errorType: 'NotToday' } })
    expect(await call('failed', 'fails')).toEqual(first)
    expect(await look('failed')).toEqual(ENDED)
    expect(journal()).toHaveLength(1)
  })

  it('is remembered until its caller says that it has the answer, and no other', async () => {
    expect(await look('map/1,a')).toEqual(UNKNOWN)
    const [first] = await Promise.all([call('map/1,a', 'fails'), call('é', 'fails'), call('kept', 'fails')])
    clock.advance(10 * DAY_MS)
    expect(await call('map/1,a', 'fails')).toEqual(first)
    await acknowledge('map%2F1%2Ca,%C3%A9,never')
    expect(await Promise.all(['map/1,a', 'é', 'kept'].map((id) => look(id)))).toEqual([
      UNKNOWN,
      UNKNOWN,
      ENDED,
    ])
    await call('map/1,a', 'fails')
    expect(journal()).toHaveLength(4)
  })

  it('is remembered for 30 days after its end where nobody says so', async () => {
    await call('old', 'fails')
    clock.advance(30 * DAY_MS - 1)
    expect(await look('old')).toEqual(ENDED)
    clock.advance(1)
    expect(await look('old')).toEqual(UNKNOWN)
    await call('old', 'fails')
    expect(journal()).toHaveLength(2)
  })

  it('is not forgotten while it runs, and what cannot be read is refused', async () => {
    const own = join(directory, 'running-gate')
    const named = { 'x-turnwise-invocation-id': 'runs' }
    const running = invokeWith(
      url,
      { FunctionName: 'waitsForFile', Payload: JSON.stringify({ file: own }) },
      named,
    )
    await eventually(() => journal().length === 1)
    await acknowledge('runs')
    expect(await look('runs')).toEqual(RUNNING)
    writeFileSync(own, '')
    await running
    expect(await look('runs')).toEqual(ENDED)
    await expect(acknowledge('100%')).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: 'x-turnwise-acknowledged is "100%"; it takes URL-encoded ids, joined by commas',
    })
  })

  it('has a name of at most 256 characters', async () => {
    await expect(call('x'.repeat(257), 'fails')).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: 'x-turnwise-invocation-id has 257 characters; it takes 1 to 256',
    })
    expect(await call('x'.repeat(256), 'fails')).toMatchObject({ status: 200 })
  })
})

describe('after a stand-in was killed with SIGKILL', () => {
  it('what ended is answered, what ran is answered as killed, what waited is unknown; nothing runs again', async () => {
    const own = join(directory, 'killed')
    const entries = () => readJournal(join(own, 'journal'))
    const host = await startHost({ ...optionsIn(own), maximumProcesses: 1 })
    const callHeld = (id: string, at: string) =>
      invokeWith(
        at,
        { FunctionName: 'waitsForFile', Payload: JSON.stringify({ file: join(own, 'gate') }) },
        { 'x-turnwise-invocation-id': id },
      )
    const ended = await call('ended', 'fails', host.url)
    const ran = callHeld('ran', host.url).catch(() => 'cut')
    await eventually(() => entries().length === 2)
    const waited = callHeld('waited', host.url).catch(() => 'cut')
    await new Promise((resolve) => setTimeout(resolve, 50)) // it arrives
    await host.kill()
    expect(await Promise.all([ran, waited])).toEqual(['cut', 'cut'])

    const next = await startQuietly(optionsIn(own))
    const { requestId } = entries()[1] ?? {}
    const killed = {
      status: 200,
      functionError: 'Unhandled',
      requestId,
      executedVersion: '$LATEST',
      payload: {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`,
      },
    }
    expect(await look('ran', next.url)).toEqual(ENDED)
    expect(await callHeld('ran', next.url)).toMatchObject(killed)
    expect(await call('ended', 'fails', next.url)).toEqual(ended)
    expect(await look('waited', next.url)).toEqual(UNKNOWN)
    expect(entries()).toHaveLength(2)
    await next.close()
  })
})
