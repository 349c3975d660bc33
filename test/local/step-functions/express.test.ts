import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  StartExecutionCommand,
  StartSyncExecutionCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { setStage } from './stage.ts'

const passes = {
  StartAt: 'pass',
  States: { pass: { Type: 'Pass', Output: { got: '{% $states.input %}' }, End: true } },
}
const waits = (Seconds: number) => ({
  StartAt: 'wait',
  States: { wait: { Type: 'Wait', Seconds, End: true } },
})

describe('express machines', () => {
  it('answer StartSyncExecution with the output, and what AWS would bill', async () => {
    const clock = createManualClock(1_000)
    await using stage = await setStage(undefined, { clock })
    const stateMachineArn = await stage.create('passes', passes, 'EXPRESS')
    const answer = await stage.client.send(
      new StartSyncExecutionCommand({ stateMachineArn, name: 'one', input: '{"a":1}' }),
    )
    expect(answer).toMatchObject({
      executionArn: expect.stringMatching(
        /^arn:aws:states:us-east-1:000000000000:express:passes:one:[\w-]+$/,
      ),
      stateMachineArn,
      name: 'one',
      status: 'SUCCEEDED',
      startDate: new Date(1_000),
      stopDate: new Date(1_000),
      input: '{"a":1}',
      output: '{"got":{"a":1}}',
      billingDetails: { billedMemoryUsedInMB: 64, billedDurationInMilliseconds: 0 },
    })
  })

  it('end after five minutes, or sooner when the machine says so', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    for (const [TimeoutSeconds, seconds] of [
      [undefined, 300],
      [600, 300],
      [10, 10],
    ] as const) {
      const machine = { ...waits(3_600), ...(TimeoutSeconds === undefined ? {} : { TimeoutSeconds }) }
      const stateMachineArn = await stage.create(`waits-${TimeoutSeconds}`, machine, 'EXPRESS')
      const answer = stage.client.send(new StartSyncExecutionCommand({ stateMachineArn }))
      await clock.untilPending(2)
      clock.advance(seconds * 1_000 - 1)
      expect(clock.pending()).toBe(2)
      clock.advance(1)
      expect((await answer).status).toBe('TIMED_OUT')
    }
  })

  it('leave no record, and give an execution of a name that was used another ARN', async () => {
    await using stage = await setStage()
    const stateMachineArn = await stage.create('passes', passes, 'EXPRESS')
    const start = () => stage.client.send(new StartExecutionCommand({ stateMachineArn, name: 'same' }))
    const [{ executionArn = '' }, second] = [await start(), await start()]
    expect(second.executionArn).not.toBe(executionArn)
    await expect(stage.client.send(new DescribeExecutionCommand({ executionArn }))).rejects.toMatchObject({
      name: 'InvalidArn',
      message: "Invalid Arn: 'Resource type not valid in this context: express'",
    })
    await expect(stage.client.send(new ListExecutionsCommand({ stateMachineArn }))).rejects.toMatchObject({
      name: 'StateMachineTypeNotSupported',
    })
  })

  it('alone are started by StartSyncExecution', async () => {
    await using stage = await setStage()
    const stateMachineArn = await stage.create('standard', passes)
    await expect(stage.client.send(new StartSyncExecutionCommand({ stateMachineArn }))).rejects.toMatchObject(
      {
        name: 'StateMachineTypeNotSupported',
      },
    )
  })
})
