import {
  DescribeExecutionCommand,
  ExecutionNotRedrivable,
  ListExecutionsCommand,
  RedriveExecutionCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { task } from './cases/case.ts'
import type { Invocation, Reply } from './fake-lambda.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const failing: Reply = { functionError: { errorType: 'Broken', errorMessage: 'not yet' } }

/** Fails until it is told that the fault is mended. */
function mendable(isFault: (invocation: Invocation) => boolean) {
  let isMended = false
  return {
    mend: () => {
      isMended = true
    },
    reply: (invocation: Invocation): Reply =>
      !isMended && isFault(invocation) ? failing : { result: invocation.payload },
  }
}

async function redrive(stage: Stage, executionArn: string) {
  stage.forget(executionArn)
  await stage.client.send(new RedriveExecutionCommand({ executionArn }))
  return stage.ended(executionArn)
}

describe('RedriveExecution', () => {
  it('goes on from the task that failed, with its input and all its attempts, and does not repeat what had ended', async () => {
    const { mend, reply } = mendable(({ functionName }) => functionName === 'charge')
    await using stage = await setStage(reply)
    const machine = {
      StartAt: 'reserve',
      States: {
        reserve: task('reserve', { Assign: { reserved: true }, Next: 'charge', End: undefined }),
        charge: task('charge', {
          Output: { reserved: '{% $reserved %}', got: '{% $states.result.Payload %}' },
        }),
      },
    }
    const failed = await stage.run(machine, { order: 'A-1' })
    const executionArn = failed.executionArn ?? ''
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: 'Broken',
      redriveCount: 0,
      redriveStatus: 'REDRIVABLE',
    })
    mend()
    const redriven = await redrive(stage, executionArn)
    expect(redriven).toMatchObject({
      status: 'SUCCEEDED',
      output: '{"reserved":true,"got":{"order":"A-1"}}',
      redriveCount: 1,
      redriveDate: expect.any(Date),
    })
    expect(redriven.error).toBeUndefined()
    expect(stage.invocations.map(({ functionName }) => functionName)).toEqual(['reserve', 'charge', 'charge'])
    const history = await historyOf(stage.client, executionArn)
    const from = history.findIndex(({ type }) => type === 'ExecutionFailed')
    expect(history.slice(from).map(({ type }) => type)).toEqual([
      'ExecutionFailed',
      'ExecutionRedriven',
      'TaskScheduled',
      'TaskStarted',
      'TaskSucceeded',
      'TaskStateExited',
      'ExecutionSucceeded',
    ])
    expect(history[from + 1]).toMatchObject({ executionRedrivenEventDetails: { redriveCount: 1 } })
  })

  it('repeats of a Map only the iterations that had failed or were cut off', async () => {
    const { mend, reply } = mendable(({ payload }) => payload === 3)
    await using stage = await setStage(reply)
    const machine = {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: [1, 2, 3, 4, 5],
          MaxConcurrency: 1,
          ItemProcessor: { StartAt: 'work', States: { work: task('work') } },
          End: true,
        },
      },
    }
    const failed = await stage.run(machine)
    expect(failed.status).toBe('FAILED')
    mend()
    expect((await redrive(stage, failed.executionArn ?? '')).output).toBe('[1,2,3,4,5]')
    expect(stage.invocations.map(({ payload }) => payload)).toEqual([1, 2, 3, 3, 4, 5])
  })

  it('gives a Map all its attempts again', async () => {
    const clock = createManualClock()
    let failures = 3
    await using stage = await setStage(() => (failures-- > 0 ? failing : { result: 1 }), { clock })
    const Retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 1 }]
    const ItemProcessor = { StartAt: 'work', States: { work: task('work') } }
    const machine = {
      StartAt: 'each',
      States: { each: { Type: 'Map', Items: [1], ItemProcessor, Retry, End: true } },
    }
    const executionArn = await stage.start(await stage.create('m', machine))
    await clock.untilPending(1)
    clock.advance(1_000)
    expect((await stage.ended(executionArn)).status).toBe('FAILED')
    stage.forget(executionArn)
    await stage.client.send(new RedriveExecutionCommand({ executionArn }))
    await clock.untilPending(1)
    clock.advance(1_000)
    expect((await stage.ended(executionArn)).status).toBe('SUCCEEDED')
  })

  it('lets an execution go on that was out of time, with its time anew', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const machine = {
      TimeoutSeconds: 60,
      StartAt: 'wait',
      States: {
        wait: {
          Type: 'Wait',
          Seconds: '{% $states.context.Execution.RedriveCount > 0 ? 30 : 90 %}',
          End: true,
        },
      },
    }
    const executionArn = await stage.start(await stage.create('slow', machine))
    await clock.untilPending(2)
    clock.advance(60_000)
    expect((await stage.ended(executionArn)).status).toBe('TIMED_OUT')
    stage.forget(executionArn)
    await stage.client.send(new RedriveExecutionCommand({ executionArn }))
    await clock.untilPending(2)
    clock.advance(30_000)
    expect((await stage.ended(executionArn)).status).toBe('SUCCEEDED')
  })

  it('is refused for what runs or succeeded, and after 14 days; the same client token is the same redrive', async () => {
    const clock = createManualClock()
    const { reply } = mendable(() => true)
    await using stage = await setStage(reply, { clock })
    const refusal = async (executionArn: string) =>
      stage.client.send(new RedriveExecutionCommand({ executionArn })).catch((error: unknown) => error)
    const passes = { StartAt: 'pass', States: { pass: { Type: 'Pass', End: true } } }
    const succeeded = await stage.run(passes)
    expect(await refusal(succeeded.executionArn ?? '')).toBeInstanceOf(ExecutionNotRedrivable)

    const failed = await stage.run({ StartAt: 'work', States: { work: task('work') } })
    const executionArn = failed.executionArn ?? ''
    stage.forget(executionArn)
    const send = () => stage.client.send(new RedriveExecutionCommand({ executionArn, clientToken: 'once' }))
    const first = await send()
    await stage.ended(executionArn)
    clock.advance(1_000)
    expect((await send()).redriveDate).toEqual(first.redriveDate)
    expect((await stage.client.send(new DescribeExecutionCommand({ executionArn }))).redriveCount).toBe(1)

    const list = async (redriveFilter: 'REDRIVEN' | 'NOT_REDRIVEN') =>
      (
        await stage.client.send(
          new ListExecutionsCommand({ stateMachineArn: failed.stateMachineArn, redriveFilter }),
        )
      ).executions?.map((execution) => execution.executionArn)
    expect([await list('REDRIVEN'), await list('NOT_REDRIVEN')]).toEqual([[executionArn], []])

    clock.advance(14 * 86_400_000)
    const late = await refusal(executionArn)
    expect(late).toMatchObject({
      name: 'ExecutionNotRedrivable',
      message: expect.stringContaining('14 days'),
    })
  })
})
