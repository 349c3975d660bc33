import {
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const asking = (fields: Record<string, unknown> = {}) => ({
  StartAt: 'ask',
  States: {
    ask: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: {
        FunctionName: 'ask',
        InvocationType: 'Event',
        Payload: { token: '{% $states.context.Task.Token %}' },
      },
      End: true,
      ...fields,
    },
  },
})

async function tokenOf(stage: Stage): Promise<string> {
  while (stage.invocations.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  return z.object({ token: z.string() }).parse(stage.invocations.at(-1)?.payload).token
}

describe('lambda:invoke.waitForTaskToken', () => {
  it('invokes asynchronously, waits, and has what the token is answered with as its result', async () => {
    await using stage = await setStage()
    const executionArn = await stage.start(await stage.create('asks', asking()))
    const taskToken = await tokenOf(stage)
    while ((await stage.types(executionArn)).at(-1) !== 'TaskSubmitted') {}
    await stage.client.send(new SendTaskSuccessCommand({ taskToken, output: '{"approved":true}' }))
    expect(await stage.ended(executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      output: '{"approved":true}',
    })
    expect(stage.invocations[0]?.invocationType).toBe('Event')
    expect(await stage.types(executionArn)).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSubmitted',
      'TaskSucceeded',
      'TaskStateExited',
      'ExecutionSucceeded',
    ])
  })

  it('fails with the error and cause that the token is answered with', async () => {
    await using stage = await setStage()
    const executionArn = await stage.start(await stage.create('asks', asking()))
    const taskToken = await tokenOf(stage)
    await stage.client.send(new SendTaskFailureCommand({ taskToken, error: 'Refused', cause: 'said no' }))
    expect(await stage.ended(executionArn)).toMatchObject({
      status: 'FAILED',
      error: 'Refused',
      cause: 'said no',
    })
  })

  it('takes one answer: the second is TaskTimedOut', async () => {
    await using stage = await setStage()
    const executionArn = await stage.start(await stage.create('asks', asking()))
    const answer = new SendTaskSuccessCommand({ taskToken: await tokenOf(stage), output: '1' })
    await stage.client.send(answer)
    await expect(stage.client.send(answer)).rejects.toThrow(TaskTimedOut)
    expect((await stage.ended(executionArn)).output).toBe('1')
  })

  it('refuses an answer after its timeout as TaskTimedOut, also that to an earlier attempt', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const Retry = [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1, MaxAttempts: 1 }]
    const executionArn = await stage.start(await stage.create('asks', asking({ TimeoutSeconds: 60, Retry })))
    const late = await tokenOf(stage)
    clock.advance(60_000)
    await clock.untilPending(1)
    clock.advance(1_000)
    while (stage.invocations.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
    await expect(
      stage.client.send(new SendTaskSuccessCommand({ taskToken: late, output: '1' })),
    ).rejects.toThrow(TaskTimedOut)
    await stage.client.send(new SendTaskSuccessCommand({ taskToken: await tokenOf(stage), output: '2' }))
    expect((await stage.ended(executionArn)).output).toBe('2')
  })

  it('times out without heartbeats, which a rule for States.HeartbeatTimeout catches, and lives on with them', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    const Catch = [{ ErrorEquals: ['States.HeartbeatTimeout'], Output: 'lost', Next: 'after' }]
    const machine = asking({ HeartbeatSeconds: 10, Catch })
    const arn = await stage.create('beats', {
      ...machine,
      States: { ...machine.States, after: { Type: 'Pass', End: true } },
    })
    const executionArn = await stage.start(arn)
    const taskToken = await tokenOf(stage)
    clock.advance(9_000)
    await stage.client.send(new SendTaskHeartbeatCommand({ taskToken }))
    clock.advance(9_000)
    await stage.client.send(new SendTaskHeartbeatCommand({ taskToken }))
    clock.advance(10_000)
    expect((await stage.ended(executionArn)).output).toBe('"lost"')
    const timedOut = (await historyOf(stage.client, executionArn)).find(({ type }) => type === 'TaskTimedOut')
    expect(timedOut?.taskTimedOutEventDetails?.error).toBe('States.Timeout')
  })

  it('tells a text that is no token from a token of an execution that is not here', async () => {
    await using stage = await setStage()
    const send = (taskToken: string) =>
      stage.client.send(new SendTaskSuccessCommand({ taskToken, output: '1' }))
    await expect(send('nonsense')).rejects.toThrow(InvalidToken)
    const arn = 'arn:aws:states:us-east-1:000000000000:execution:asks:gone'
    await expect(send(Buffer.from(JSON.stringify([arn, 0, 'x'])).toString('base64url'))).rejects.toThrow(
      TaskDoesNotExist,
    )
  })
})
