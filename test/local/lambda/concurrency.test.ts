import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalFunction } from '../../../src/local/lambda/local-function.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import {
  eventually,
  fixture,
  invoke,
  readJournal,
  remove,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

const directory = temporaryDirectory()
const clock = createManualClock()
let lambda: LocalLambda
/** Each function has a journal, and a gate that holds it until it is opened. */
const journal = (name: string) => readJournal(join(directory, `${name}.journal`))
const gate = (name: string) => join(directory, `${name}.gate`)
const openGate = (name: string) => writeFileSync(gate(name), '')
/** By function. */
const attemptsAtMs: Record<string, number[]> = {}

beforeAll(async () => {
  lambda = await startQuietly({
    directory,
    clock,
    accountConcurrency: 6, // of which two are left
    minimumUnreserved: 2,
    maximumProcesses: 3,
    functions: [
      held('one', { reservedConcurrency: 1 }),
      held('none', { reservedConcurrency: 0, asynchronous: reportedTo('none-reports') }),
      held('late', { reservedConcurrency: 1, asynchronous: reportedTo('late-reports') }),
      held('old', { reservedConcurrency: 1, asynchronous: reportedTo('old-reports') }),
      held('own', { reservedConcurrency: 1 }),
      ...['a', 'b', 'c'].map((name) => held(name)),
      ...['none', 'late', 'old'].map((name) => reports(`${name}-reports`)),
    ],
    faults: ({ functionName }) => {
      attemptsAtMs[functionName] = [...(attemptsAtMs[functionName] ?? []), clock.now()]
      return undefined
    },
  })
})
afterAll(async () => {
  await lambda.close()
  remove(directory)
})

function held(name: string, settings: Partial<LocalFunction> = {}): LocalFunction {
  const environment = { JOURNAL: join(directory, `${name}.journal`) }
  return fixture('journal', 'waitsForFile', { name, environment, timeoutSeconds: 900, ...settings })
}

function reports(name: string): LocalFunction {
  return fixture('journal', 'succeeds', {
    name,
    environment: { JOURNAL: join(directory, `${name}.journal`) },
  })
}

function reportedTo(name: string) {
  return { retries: 0, maximumEventAgeSeconds: 60, onFailure: name, onSuccess: name } as const
}

const call = (name: string) => invoke(lambda.url, name, { file: gate(name) })
const send = (name: string) => invoke(lambda.url, name, { file: gate(name) }, 'Event')
const firstEntry = (name: string) => eventually(() => journal(name)[0])

const throttled = (Reason: string) => ({
  name: 'TooManyRequestsException',
  message: 'Rate Exceeded.',
  Type: 'User',
  Reason,
  $metadata: { httpStatusCode: 429 },
})
const overReserved = throttled('ReservedFunctionConcurrentInvocationLimitExceeded')

describe('a function with reserved concurrency', () => {
  it('is refused when as many of it run, and taken again when one has ended', async () => {
    const running = call('one')
    await firstEntry('one')
    await expect(call('one')).rejects.toMatchObject(overReserved)
    openGate('one')
    await running
    expect(await call('one')).toMatchObject({ status: 200 })
  })

  it('of none never runs: its events are handed on at once', async () => {
    await expect(call('none')).rejects.toMatchObject(overReserved)
    await send('none')
    const { requestContext, ...rest } = Object((await firstEntry('none-reports')).event)
    expect(requestContext).toMatchObject({ condition: 'ZeroReservedConcurrency', approximateInvokeCount: 0 })
    expect(Object.keys(rest)).toEqual(['version', 'timestamp', 'requestPayload'])
  })
})

describe('functions that leave the others less than the account’s minimum', () => {
  it('are refused', async () => {
    await expect(lambda.addFunctions([held('more', { reservedConcurrency: 1 })])).rejects.toThrow(
      "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [2]: functions reserve 5 of 6",
    )
  })

  it('are refused when they leave less than 100 and no other minimum is given', async () => {
    const functions = [held('most', { reservedConcurrency: 901 })]
    await expect(startQuietly({ directory: join(directory, 'strict'), functions })).rejects.toThrow(
      'below its minimum value of [100]: functions reserve 901 of 1000',
    )
  })
})

describe('the functions without a reservation', () => {
  it('share what is left of the account’s concurrency, and are counted while they wait for a process', async () => {
    const running = [call('own'), call('a'), call('a')]
    await eventually(() => journal('own').length === 1 && journal('a').length === 2)
    await expect(call('b')).rejects.toMatchObject(throttled('ConcurrentInvocationLimitExceeded'))
    openGate('a')
    await Promise.all(running.slice(1))
    const waiting = [call('b'), call('c'), call('b')] // for two processes
    const answers = waiting.map((each) => each.catch((error: unknown) => error))
    expect(await Promise.race(answers)).toMatchObject(throttled('ConcurrentInvocationLimitExceeded'))
    for (const name of ['own', 'b', 'c']) openGate(name)
    await running[0]
    const served = (await Promise.all(answers)).filter((each) => !(each instanceof Error))
    expect(served).toMatchObject([{ status: 200 }, { status: 200 }])
  })
})

describe('an asynchronous event that finds no concurrency', () => {
  it('is tried again after ever longer, and its throttles are no attempts', async () => {
    const running = call('late')
    await firstEntry('late')
    const sentAtMs = clock.now()
    await send('late')
    await advanceThrough('late', [1_000, 2_000, 4_000])
    openGate('late')
    await running
    await advanceThrough('late', [8_000])
    const [, ...attempts] = attemptsAtMs.late ?? []
    expect(attempts.map((ms) => ms - sentAtMs)).toEqual([0, 1_000, 3_000, 7_000, 15_000])
    expect(await firstEntry('late-reports')).toMatchObject({
      event: { requestContext: { condition: 'Success', approximateInvokeCount: 1 } },
    })
  })

  it('is handed on when the next try would come after its age', async () => {
    const running = call('old')
    await firstEntry('old')
    await send('old')
    await advanceThrough('old', [1_000, 2_000, 4_000, 8_000, 16_000])
    expect(await firstEntry('old-reports')).toMatchObject({
      event: { requestContext: { condition: 'EventAgeExceeded', approximateInvokeCount: 0 } },
    })
    openGate('old')
    await running
  })

  /** Moves the clock by each delay once the attempt before it was made: the first is that of the one that runs. */
  async function advanceThrough(name: string, delaysMs: readonly number[]): Promise<void> {
    const attempts = () => attemptsAtMs[name]?.length ?? 0
    await eventually(() => attempts() > 1)
    for (const delayMs of delaysMs) {
      const known = attempts()
      await eventually(() => clock.isDueIn(delayMs))
      clock.advance(delayMs)
      await eventually(() => attempts() > known)
    }
  }
})
