import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/local/clock.ts'
import type { LambdaOptions } from '../../../src/local/lambda/lambda-options.ts'
import type { LocalFunction } from '../../../src/local/lambda/local-function.ts'
import type { LocalLambda } from '../../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import {
  eventually,
  fixture,
  invoke,
  readJournal,
  remove,
  startHost,
  startQuietly,
  temporaryDirectory,
} from './lambda-fixture.ts'

let directory: string
const running: LocalLambda[] = []
const clock = createManualClock()
const journal = () => readJournal(join(directory, 'journal'))

beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(async () => {
  for (const lambda of running.splice(0)) await lambda.close()
  remove(directory)
})

const withRetries = (retries: 0 | 1 | 2, maximumEventAgeSeconds = 21_600): Partial<LocalFunction> => ({
  asynchronous: { retries, maximumEventAgeSeconds, onFailure: 'reports' },
})
const reports = () => fixture('journal', 'succeeds', { name: 'reports' })

function optionsFor(functions: readonly LocalFunction[]): LambdaOptions {
  return { directory, functions, environment: { JOURNAL: join(directory, 'journal') } }
}

async function start(
  functions: readonly LocalFunction[],
  more: Partial<LambdaOptions> = {},
): Promise<LocalLambda> {
  const lambda = await startQuietly({ ...optionsFor(functions), clock, ...more })
  running.push(lambda)
  return lambda
}

const send = (url: string, name: string, payload: unknown) => invoke(url, name, payload, 'Event')

describe('an asynchronous event', () => {
  it('is answered with 202 and runs once under the request id of the answer', async () => {
    const lambda = await start([fixture('journal', 'succeeds')])
    const { status, payload, requestId } = await send(lambda.url, 'succeeds', { a: 1 })
    expect({ status, payload }).toEqual({ status: 202, payload: undefined })
    await eventually(() => journal().length > 0)
    clock.advance(1_000_000)
    expect(journal()).toEqual([{ requestId, event: { a: 1 } }])
  })

  it('is tried again after one and after two minutes, then handed to the on-failure function', async () => {
    const lambda = await start([fixture('journal', 'fails', withRetries(2)), reports()])
    const { requestId } = await send(lambda.url, 'fails', { a: 1 })
    const attempt = { requestId, event: { a: 1 } }
    await eventually(() => journal().length === 1)
    await advanceUntil(() => journal().length === 2, 60_000)
    await advanceUntil(() => journal().length === 3, 120_000)
    await eventually(() => journal().length === 4)

    expect(journal().slice(0, 3)).toEqual([attempt, attempt, attempt])
    expect(journal()[3]).toEqual({
      requestId: expect.not.stringContaining(requestId ?? ''),
      event: {
        version: '1.0',
        timestamp: new Date(clock.now()).toISOString(),
        requestContext: {
          requestId,
          functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:fails:$LATEST',
          condition: 'RetriesExhausted',
          approximateInvokeCount: 3,
        },
        requestPayload: { a: 1 },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        responsePayload: { errorType: 'NotToday', errorMessage: 'not today', trace: expect.any(Array) },
      },
    })
  })

  it('is handed on at once where no retry is wanted', async () => {
    const lambda = await start([fixture('journal', 'fails', withRetries(0)), reports()])
    await send(lambda.url, 'fails', {})
    await eventually(() => journal().length === 2)
    expect(journal()[1]).toMatchObject({ event: { requestContext: { approximateInvokeCount: 1 } } })
  })

  it('is given up unheard when it waited beyond its age for a place', async () => {
    const gate = join(directory, 'gate')
    const holder = fixture('journal', 'waitsForFile', { timeoutSeconds: 900 })
    const late = fixture('journal', 'fails', { name: 'late', ...withRetries(0, 60) })
    const lambda = await start([holder, late, reports()], { maximumProcesses: 1 })
    const held = invoke(lambda.url, 'waitsForFile', { file: gate })
    await eventually(() => journal().length === 1)
    await send(lambda.url, 'late', { a: 1 })
    clock.advance(60_001)
    writeFileSync(gate, '')
    await held
    await eventually(() => journal().length === 2)
    expect(journal()[1]).toEqual({
      requestId: expect.any(String),
      event: {
        version: '1.0',
        timestamp: new Date(clock.now()).toISOString(),
        requestContext: {
          requestId: expect.any(String),
          functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:late:$LATEST',
          condition: 'EventAgeExceeded',
          approximateInvokeCount: 0,
        },
        requestPayload: { a: 1 },
      },
    })
  })
})

describe('after the stand-in was killed with SIGKILL, or closed', () => {
  it('what ran counts as crashed, what waited runs, and nothing of the killed one runs on', async () => {
    const functions = [
      fixture('journal', 'loops', { timeoutSeconds: 900, ...withRetries(0) }),
      fixture('journal', 'succeeds'),
      reports(),
    ]
    const host = await startHost({ ...optionsFor(functions), maximumProcesses: 1 })
    const ran = await send(host.url, 'loops', { a: 1 })
    const [{ pid } = {}] = await eventually(() => journal().length === 1 && journal())
    const waited = await send(host.url, 'succeeds', { b: 2 })
    expect(waited.status).toBe(202)
    await host.kill()

    await start(functions, { clock: systemClock })
    expect(isRunning(Number(pid))).toBe(false)
    await eventually(() => journal().length === 3)
    const [, ...after] = journal()
    expect(after).toContainEqual({ requestId: waited.requestId, event: { b: 2 } })
    expect(after).toContainEqual({
      requestId: expect.any(String),
      event: expect.objectContaining({
        requestContext: expect.objectContaining({ requestId: ran.requestId, condition: 'RetriesExhausted' }),
        responsePayload: {
          errorType: 'Runtime.ExitError',
          errorMessage: `RequestId: ${ran.requestId} Error: Runtime exited with error: signal: killed`,
        },
      }),
    })
  })

  it('what ran is tried again when its delay has passed', async () => {
    const functions = [fixture('journal', 'waitsForFile', { ...withRetries(1) }), reports()]
    const file = join(directory, 'gate')
    const host = await startHost(optionsFor(functions))
    const { requestId } = await send(host.url, 'waitsForFile', { file })
    await eventually(() => journal().length === 1)
    await host.kill()

    writeFileSync(file, '')
    await start(functions)
    clock.advance(59_999)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(journal()).toHaveLength(1)
    await advanceUntil(() => journal().length === 2, 1)
    expect(journal()[1]).toMatchObject({ requestId, began: true })
  })

  it('counts as crashed what a close had to kill, as its grace was over', async () => {
    const functions = [fixture('journal', 'loops', withRetries(0)), reports()]
    const first = await start(functions)
    await send(first.url, 'loops', {})
    await eventually(() => journal().length === 1)
    await first.close()

    await start(functions)
    await eventually(() => journal().length === 2)
    expect(journal()[1]).toMatchObject({ event: { responsePayload: { errorType: 'Runtime.ExitError' } } })
  })

  it('keeps a retry that was waiting for its time', async () => {
    const functions = [fixture('journal', 'fails', withRetries(1)), reports()]
    const first = await start(functions)
    await send(first.url, 'fails', { a: 1 })
    await eventually(() => journal().length === 1)
    await first.close()

    await start(functions)
    await advanceUntil(() => journal().length === 3, 60_000)
    expect(journal()[2]).toMatchObject({ event: { requestContext: { approximateInvokeCount: 2 } } })
  })
})

describe('the directory of a stand-in', () => {
  it('is refused to a second one', async () => {
    await start([fixture('journal', 'succeeds')])
    await expect(start([])).rejects.toThrow(/^Process \d+ works in .* already; two would corrupt it\./)
  })

  it('is free again when the port was taken', async () => {
    const first = await start([fixture('journal', 'succeeds')])
    const other = join(directory, 'other')
    const taken = Number(new URL(first.url).port)
    await expect(start([], { directory: other, port: taken })).rejects.toThrow('EADDRINUSE')
    expect(openFiles().filter((file) => file.startsWith(other))).toEqual([])
    await start([], { directory: other })
  })

  it('is free again when a start has failed', async () => {
    const broken = fixture('journal', 'succeeds', { entry: join(directory, 'absent.ts') })
    await expect(start([broken])).rejects.toThrow('absent.ts')
    await start([])
    expect(existsSync(join(directory, 'lock.pid'))).toBe(true)
  })
})

/** Of this process. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return [] // the one that listed them
    }
  })
}

/** Moves the clock once, when the attempt that just ended has set its timer, and waits. */
async function advanceUntil(isDone: () => boolean, ms: number): Promise<void> {
  await eventually(() => clock.isDueIn(ms))
  clock.advance(ms)
  await eventually(isDone)
}

/** A killed process may stay as a zombie where nobody reaps orphans; it runs nothing. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
