import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import type { Reply } from './fake-lambda.ts'
import { historyOf, setStage } from './stage.ts'

const failing = (errorType: string): Reply => ({ functionError: { errorType, errorMessage: 'told so' } })
const task = (fields: Record<string, unknown>) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: 'work', Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  End: true,
  ...fields,
})
const machineOf = (fields: Record<string, unknown>, others: Record<string, unknown> = {}) => ({
  StartAt: 'work',
  States: { work: task(fields), ...others },
})

describe('Retry', () => {
  it('tries again after the interval, longer each time and no longer than MaxDelaySeconds, until the task succeeds', async () => {
    const clock = createManualClock()
    const replies = [failing('Busy'), failing('Busy'), failing('Busy'), { result: 'done' }]
    await using stage = await setStage(() => replies.shift() ?? failing('Other'), { clock })
    const Retry = [
      { ErrorEquals: ['Busy'], IntervalSeconds: 10, BackoffRate: 3, MaxDelaySeconds: 40, MaxAttempts: 5 },
    ]
    const executionArn = await stage.start(await stage.create('retries', machineOf({ Retry })))
    for (const delayMs of [10_000, 30_000, 40_000]) {
      await clock.untilPending(1)
      clock.advance(delayMs - 1)
      expect(clock.pending()).toBe(1)
      clock.advance(1)
    }
    expect(await stage.ended(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '"done"' })
    expect(stage.invocations).toHaveLength(4)
  })

  it('gives up after MaxAttempts with the last error, and leaves errors that no rule names alone', async () => {
    const clock = createManualClock()
    const replies = [failing('Busy'), failing('Busy'), failing('Strange')]
    await using stage = await setStage(() => replies.shift() ?? { result: 1 }, { clock })
    const Retry = [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 1 }]
    const arn = await stage.create('gives-up', machineOf({ Retry }))
    const first = await stage.start(arn)
    await clock.untilPending(1)
    clock.advance(1_000)
    expect(await stage.ended(first)).toMatchObject({ status: 'FAILED', error: 'Busy' })
    expect(await stage.ended(await stage.start(arn))).toMatchObject({ status: 'FAILED', error: 'Strange' })
    expect(stage.invocations).toHaveLength(3)
  })

  it('matches what the service throws by its class name behind Lambda.', async () => {
    const clock = createManualClock()
    const replies: Reply[] = [
      { status: 429, exception: 'TooManyRequestsException' },
      { result: 'in the end' },
    ]
    await using stage = await setStage(() => replies.shift() ?? failing('Other'), { clock })
    const Retry = [{ ErrorEquals: ['Lambda.TooManyRequestsException'], IntervalSeconds: 2 }]
    const executionArn = await stage.start(await stage.create('throttled', machineOf({ Retry })))
    await clock.untilPending(1)
    clock.advance(2_000)
    expect((await stage.ended(executionArn)).output).toBe('"in the end"')
  })
})

describe('Catch', () => {
  it('goes on with the error as output, keeps it in a variable, and leaves the input readable', async () => {
    await using stage = await setStage(() => failing('NotFound'))
    const Catch = [
      {
        ErrorEquals: ['NotFound'],
        Assign: { caught: '{% $states.errorOutput.Error %}' },
        Output: '{% $states.input.order %}',
        Next: 'after',
      },
    ]
    const after = {
      Type: 'Pass',
      Output: { caught: '{% $caught %}', input: '{% $states.input %}' },
      End: true,
    }
    const execution = await stage.run(machineOf({ Catch }, { after }), { order: 'A-1' })
    expect(JSON.parse(execution.output ?? '')).toEqual({ caught: 'NotFound', input: 'A-1' })
  })

  it('catches what the code of its own expressions does wrong', async () => {
    await using stage = await setStage()
    const Catch = [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'after' }]
    const after = { Type: 'Pass', Output: '{% $states.input.Cause %}', End: true }
    const execution = await stage.run(
      machineOf({ Output: '{% $states.result.Payload.absent %}', Catch }, { after }),
    )
    expect(execution.output).toContain(
      "'$states.result.Payload.absent' specified for the field 'Output' returned nothing (undefined).",
    )
  })

  it('catches a result above 256 KiB, by name and by States.ALL', async () => {
    await using stage = await setStage(() => ({ result: 'x'.repeat(262_144) }))
    const after = { Type: 'Pass', Output: 'caught', End: true }
    const rule = (name: string) => [{ ErrorEquals: [name], Next: 'after' }]
    const uncaught = await stage.run(machineOf({ Catch: rule('States.Timeout') }, { after }))
    expect(uncaught).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' })
    for (const name of ['States.ALL', 'States.DataLimitExceeded']) {
      const caught = await stage.run(machineOf({ Catch: rule(name) }, { after }))
      expect(caught.output).toBe('"caught"')
    }
  })
})

describe('TimeoutSeconds', () => {
  it('ends a task whose function has not answered, and does not hear its late answer', async () => {
    const clock = createManualClock()
    let answer: (reply: Reply) => void = () => {}
    await using stage = await setStage(() => new Promise((resolve) => (answer = resolve)), { clock })
    const Catch = [{ ErrorEquals: ['States.Timeout'], Next: 'after' }]
    const after = { Type: 'Wait', Seconds: 5, End: true }
    const executionArn = await stage.start(
      await stage.create('times-out', machineOf({ TimeoutSeconds: 30, Catch }, { after })),
    )
    while (stage.invocations.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    clock.advance(30_000)
    await clock.untilPending(1)
    answer({ result: 'too late' })
    clock.advance(5_000)
    expect((await stage.ended(executionArn)).output).toBe('{"Error":"States.Timeout","Cause":""}')
    const timedOut = (await historyOf(stage.client, executionArn)).find(({ type }) => type === 'TaskTimedOut')
    expect(timedOut?.taskTimedOutEventDetails).toEqual({
      error: 'States.Timeout',
      resource: 'invoke',
      resourceType: 'lambda',
    })
  })

  it('of the machine ends the execution as TIMED_OUT', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const arn = await stage.create('machine-times-out', {
      TimeoutSeconds: 60,
      StartAt: 'wait',
      States: { wait: { Type: 'Wait', Seconds: 3_600, End: true } },
    })
    const executionArn = await stage.start(arn)
    await clock.untilPending(2)
    clock.advance(60_000)
    expect(await stage.ended(executionArn)).toMatchObject({
      status: 'TIMED_OUT',
      redriveStatus: 'REDRIVABLE',
    })
  })
})

describe('Wait', () => {
  it('of a year costs nothing on a skipped clock, and ends no sooner', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1))
    await using stage = await setStage(undefined, { clock })
    const arn = await stage.create('waits', {
      StartAt: 'wait',
      States: {
        wait: { Type: 'Wait', Timestamp: '2027-01-01T01:00:00+01:00', Next: 'tell' },
        // `$now` is the stand-in's time, so that what a machine computes from it agrees with its waits.
        tell: { Type: 'Pass', Output: '{% $now() %}', End: true },
      },
    })
    const executionArn = await stage.start(arn)
    await clock.untilPending(1)
    clock.advance(Date.UTC(2027, 0, 1) - Date.UTC(2026, 0, 1) - 1)
    await clock.untilPending(1)
    clock.advance(1)
    expect((await stage.ended(executionArn)).output).toBe('"2027-01-01T00:00:00.000Z"')
  })
})
