import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault, FaultyInvocation } from '../../src/local/lambda/faults.ts'
import { type LocalLambda, startLambda } from '../../src/local/lambda/start-lambda.ts'
import { createManualClock } from '../../src/local/manual-clock.ts'
import { type Stage, setStage } from './step-functions/stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'turnwise-faulty-lambda-'))
const journal = join(directory, 'journal')
const clock = createManualClock()
let faults: (invocation: FaultyInvocation) => Fault | undefined
let lambda: LocalLambda
let stage: Stage
let before = 0

/** What the function did since the test began: `['begin 1', 'end 1']`. */
const done = (): string[] =>
  existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n').slice(before) : []

beforeAll(async () => {
  lambda = await startLambda({
    directory: join(directory, 'lambda'),
    functions: [
      {
        name: 'work',
        entry: resolve(import.meta.dirname, '../support/stand-ins/work.ts'),
        timeoutSeconds: 60,
        memoryMb: 256,
      },
    ],
    environment: { JOURNAL: journal },
    faults: (invocation) => faults(invocation),
    clock,
  })
})
afterAll(async () => {
  await lambda.close()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  before += done().length
  stage = await setStage(undefined, { lambdaEndpoint: lambda.url, clock })
})
afterEach(() => stage[Symbol.asyncDispose]())

/** The fault of the nth invocation from now on. */
function onInvocation(nth: number, fault: Fault): void {
  let count = 0
  faults = () => {
    count += 1
    return count === nth ? fault : undefined
  }
}

const working = (fields: Record<string, unknown>) => ({
  StartAt: 'work',
  States: {
    work: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: 'work', Payload: 1 },
      Output: '{% $states.result.Payload %}',
      End: true,
      ...fields,
    },
    caught: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
  },
})
const Retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 1 }]
const catching = (ErrorEquals: string) => [{ ErrorEquals: [ErrorEquals], Next: 'caught' }]

/** Tries once more, a second later, what fails. */
async function runWithRetry() {
  const machine = working({ Retry, Catch: catching('States.ALL') })
  const executionArn = await stage.start(await stage.create('work', machine))
  while (!(await stage.types(executionArn)).includes('TaskFailed')) await pause()
  while (clock.pending() === 0) await pause()
  clock.advance(1_000)
  return stage.ended(executionArn)
}
const pause = () => new Promise((tick) => setTimeout(tick, 5))

describe('W9 a machine whose function', () => {
  it('fails at the first invocation succeeds at the second', async () => {
    onInvocation(1, { kind: 'fail', error: { errorType: 'Busy', errorMessage: 'try later' } })
    expect((await runWithRetry()).output).toBe('1')
    expect(done()).toEqual(['begin 1', 'end 1'])
  })

  it('is refused by the service fails under the name of its exception', async () => {
    onInvocation(1, { kind: 'refuse', exception: 'ServiceException', status: 500 })
    const execution = await stage.run(working({ Catch: catching('Lambda.ServiceException') }))
    expect([execution.output, done()]).toEqual(['"Lambda.ServiceException"', []])
  })

  it('did its work and whose answer was lost is asked again, and does it twice', async () => {
    onInvocation(1, { kind: 'lose-answer' })
    expect((await runWithRetry()).output).toBe('1')
    expect(done()).toEqual(['begin 1', 'end 1', 'begin 1', 'end 1'])
  })

  it('is delivered twice runs twice and succeeds once', async () => {
    onInvocation(1, { kind: 'double' })
    const execution = await stage.run(working({ Catch: catching('States.ALL') }))
    expect(execution.output).toBe('1')
    await expect.poll(done).toHaveLength(4)
    expect(await stage.types(execution.executionArn ?? '')).toHaveLength(7)
  })

  it('is late has timed out for the machine, and its answer changes nothing', async () => {
    onInvocation(1, { kind: 'delay', ms: 30_000 })
    const machine = working({ TimeoutSeconds: 10, Catch: catching('States.Timeout') })
    const executionArn = await stage.start(await stage.create('work', machine))
    await clock.untilPending(2)
    clock.advance(10_000)
    expect((await stage.ended(executionArn)).output).toBe('"States.Timeout"')
    clock.advance(20_000)
    await expect.poll(done).toEqual(['begin 1', 'end 1'])
    expect((await stage.types(executionArn)).at(-1)).toBe('ExecutionSucceeded')
  })
})
