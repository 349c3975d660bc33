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

const call = (id: string, name = 'waitsForFile', at = url) =>
  invokeWith(
    at,
    { FunctionName: name, Payload: JSON.stringify({ file: gate }) },
    { 'x-turnwise-invocation-id': id },
  )

async function recall(id: string, at = url) {
  const response = await fetch(`${at}/invocations/${encodeURIComponent(id)}`)
  const { headers } = response
  return {
    status: response.status,
    requestId: headers.get('x-amzn-requestid'),
    functionError: headers.get('x-amz-function-error'),
    executedVersion: headers.get('x-amz-executed-version'),
    payload: await response.json(),
  }
}

describe('an invocation that its caller has named', () => {
  it('runs once for all who ask for it, while it runs and after it', async () => {
    const both = [call('map/7'), call('map/7')]
    await eventually(() => journal().length === 1)
    const recalled = recall('map/7')
    writeFileSync(gate, '')
    const [first, second] = await Promise.all(both)
    expect(first).toMatchObject({ status: 200, payload: { pid: journal()[0]?.pid } })
    expect(second).toEqual(first)
    expect(await call('map/7')).toEqual(first)
    expect(await recalled).toEqual({
      status: 200,
      requestId: first?.requestId,
      functionError: null,
      executedVersion: '$LATEST',
      payload: first?.payload,
    })
    expect(journal()).toHaveLength(1)
  })

  it('is not run again when it failed', async () => {
    const first = await call('failed', 'fails')
    expect(first).toMatchObject({ functionError: 'Unhandled', payload: { errorType: 'NotToday' } })
    expect(await call('failed', 'fails')).toEqual(first)
    expect(await recall('failed')).toMatchObject({ functionError: 'Unhandled', payload: first.payload })
    expect(journal()).toHaveLength(1)
  })

  it('is unknown before it was ever asked for, and an hour after it ended', async () => {
    const unknown = expect.objectContaining({ status: 404, payload: { kind: 'unknown' } })
    expect(await recall('a')).toEqual(unknown)
    await call('a', 'fails')
    clock.advance(3_599_999)
    expect(await recall('a')).toMatchObject({ status: 200 })
    clock.advance(1)
    expect(await recall('a')).toEqual(unknown)
    await call('a', 'fails')
    expect(journal()).toHaveLength(2)
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
    expect(await recall('ran', next.url)).toEqual(killed)
    expect(await callHeld('ran', next.url)).toMatchObject(killed)
    expect(await call('ended', 'fails', next.url)).toEqual(ended)
    expect(await recall('waited', next.url)).toMatchObject({ status: 404 })
    expect(entries()).toHaveLength(2)
    await next.close()
  })
})
