import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault, FaultyInvocation } from '../../../src/local/lambda/faults.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import {
  eventually,
  fixture,
  invoke,
  invokeWith,
  readJournal,
  remove,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

const directory = temporaryDirectory()
const clock = createManualClock()
let lambda: LocalLambda
const asked: FaultyInvocation[] = []
/** For the first attempts, in order. */
let faults: (Fault | (() => Fault) | undefined)[] = []
const logged: string[] = []
let before = 0
const journal = () => readJournal(join(directory, 'journal')).slice(before)

beforeAll(async () => {
  const asynchronous = { retries: 1, maximumEventAgeSeconds: 21_600 } as const
  lambda = await startQuietly({
    directory,
    clock,
    log: (line) => logged.push(line),
    environment: { JOURNAL: join(directory, 'journal') },
    functions: [fixture('journal', 'succeeds', { asynchronous })],
    faults: (invocation) => {
      asked.push(invocation)
      const fault = faults.shift()
      return typeof fault === 'function' ? fault() : fault
    },
  })
})
beforeEach(() => {
  before += journal().length
  asked.length = 0
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

const call = (payload: unknown = {}) => invoke(lambda.url, 'succeeds', payload)
const send = (payload: unknown = {}) => invoke(lambda.url, 'succeeds', payload, 'Event')

/** Once the attempt before has set its timer. */
async function advance(ms: number): Promise<void> {
  await eventually(() => clock.isDueIn(ms))
  clock.advance(ms)
}

describe('a fault', () => {
  it('is chosen by what is known of the attempt, which is numbered by function', async () => {
    const { requestId } = await call({ a: 1 })
    await send()
    await eventually(() => asked.length === 2)
    const [first, second] = asked
    expect(first).toEqual({
      functionName: 'succeeds',
      qualifier: undefined,
      type: 'RequestResponse',
      requestId,
      payload: '{"a":1}',
      number: expect.any(Number),
    })
    expect(second).toMatchObject({ type: 'Event', number: (first?.number ?? 0) + 1 })
    await eventually(() => journal().length === 2)
  })

  it('"fail" is the function’s own error; an event is then retried', async () => {
    const error = { errorType: 'Broken', errorMessage: 'on purpose' }
    faults = [
      { kind: 'fail', error },
      { kind: 'fail', error },
    ]
    expect(await call()).toMatchObject({ status: 200, functionError: 'Unhandled', payload: error })
    await send({ b: 2 })
    await advance(60_000)
    await eventually(() => journal().length === 1)
    expect(journal()).toMatchObject([{ event: { b: 2 } }])
  })

  it('"refuse" is an exception of Lambda’s; an event is put back', async () => {
    faults = [
      { kind: 'refuse', exception: 'ServiceException', status: 500 },
      { kind: 'refuse', exception: 'TooManyRequestsException', status: 429 },
    ]
    await expect(call()).rejects.toMatchObject({
      name: 'ServiceException',
      $metadata: { httpStatusCode: 500 },
    })
    const { requestId } = await send()
    await advance(1_000)
    await eventually(() => journal().length === 1)
    expect(journal()).toMatchObject([{ requestId }])
  })

  it('"delay" lets a later one overtake', async () => {
    faults = [{ kind: 'delay', ms: 5_000 }]
    const late = call({ is: 'late' })
    await eventually(() => clock.isDueIn(5_000))
    await call({ is: 'early' })
    clock.advance(5_000)
    await late
    expect(journal().map(({ event }) => event)).toEqual([{ is: 'early' }, { is: 'late' }])
  })

  it('"lose-answer" breaks the connection of a caller whose function ran', async () => {
    faults = [{ kind: 'lose-answer' }]
    await expect(call()).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(journal()).toHaveLength(1)
  })

  it('"lose-answer" of a named invocation is made good by asking again', async () => {
    faults = [{ kind: 'lose-answer' }]
    const named = () =>
      invokeWith(lambda.url, { FunctionName: 'succeeds', Payload: '{}' }, { 'x-turnwise-invocation-id': 'a' })
    await expect(named()).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await named()).toMatchObject({ status: 200, requestId: journal()[0]?.requestId })
    expect(journal()).toHaveLength(1)
  })

  it('"lose-answer" of an event runs it again', async () => {
    faults = [{ kind: 'lose-answer' }]
    const { requestId } = await send()
    await advance(1_000)
    await eventually(() => journal().length === 2)
    expect(journal()).toMatchObject([{ requestId }, { requestId }])
  })

  it('"lose-answer" of an event uses up none of its retries', async () => {
    faults = [{ kind: 'lose-answer' }, { kind: 'fail', error: { errorType: 'Broken', errorMessage: '' } }]
    const { requestId } = await send()
    await advance(1_000)
    await advance(60_000) // its one retry
    await eventually(() => journal().length === 2)
    expect(journal()).toMatchObject([{ requestId }, { requestId }])
  })

  it('that cannot be chosen is a line in the log, and the event is put back', async () => {
    faults = [
      () => {
        throw new Error('No fault to be found')
      },
    ]
    const { requestId } = await send()
    await advance(1_000)
    await eventually(() => journal().length === 1)
    expect(logged).toContain(
      `[succeeds ${requestId}] could not be run and is put back: Error: No fault to be found`,
    )
  })

  it('"double" runs it twice under one request id, the second when it is told', async () => {
    faults = [{ kind: 'double' }, { kind: 'double', afterMs: 5_000 }]
    const { requestId } = await call()
    await eventually(() => journal().length === 2)
    expect(journal()).toMatchObject([{ requestId }, { requestId }])
    await send({ is: 'event' })
    await eventually(() => journal().length === 3)
    await advance(5_000)
    await eventually(() => journal().length === 4)
    expect(journal()[3]).toEqual(journal()[2])
  })

  it('"lose" is an event that was accepted and never runs', async () => {
    faults = [{ kind: 'lose' }, undefined, { kind: 'lose' }]
    expect(await send({ is: 'lost' })).toMatchObject({ status: 202 })
    await eventually(() => asked.length === 1)
    clock.advance(600_000)
    await call()
    expect(journal()).toMatchObject([{ event: {} }])
    await expect(call()).rejects.toMatchObject({
      name: 'ServiceException',
      message: expect.stringContaining('"lose-answer" or "refuse" is for that'),
    })
  })
})
