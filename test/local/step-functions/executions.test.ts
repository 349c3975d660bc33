import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  InvalidExecutionInput,
  InvalidName,
  InvalidToken,
  StartExecutionCommand,
  StateMachineDoesNotExist,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import type { StatusChangeEvent } from '../../../src/local/step-functions/status-event.ts'
import { historyOf, setStage } from './stage.ts'

const waiting = { StartAt: 'wait', States: { wait: { Type: 'Wait', Seconds: 3_600, End: true } } }
const passing = { StartAt: 'pass', States: { pass: { Type: 'Pass', End: true } } }

describe('StartExecution', () => {
  it('is the same execution for the same name and input while it runs, and refused for another input', async () => {
    await using stage = await setStage()
    const arn = await stage.create('waits', waiting)
    const first = await stage.start(arn, { order: 1 }, 'run-1')
    expect(await stage.start(arn, { order: 1 }, 'run-1')).toBe(first)
    await expect(stage.start(arn, { order: 2 }, 'run-1')).rejects.toThrow(ExecutionAlreadyExists)
    expect(
      (await historyOf(stage.client, first)).filter(({ type }) => type === 'ExecutionStarted'),
    ).toHaveLength(1)
  })

  it('is refused for a name whose execution is over, also with the same input', async () => {
    await using stage = await setStage()
    const arn = await stage.create('passes', passing)
    await stage.ended(await stage.start(arn, {}, 'run-1'))
    await expect(stage.start(arn, {}, 'run-1')).rejects.toThrow(ExecutionAlreadyExists)
  })

  it.each(['', 'a b', 'a:b', 'a/b', 'x'.repeat(81), 'tab\t'])('refuses the name %j', async (name) => {
    await using stage = await setStage()
    const arn = await stage.create('passes', passing)
    await expect(stage.start(arn, {}, name)).rejects.toThrow(InvalidName)
  })

  it('takes a name of 80 characters and {} for no input', async () => {
    await using stage = await setStage()
    const stateMachineArn = await stage.create('passes', passing)
    const { executionArn = '' } = await stage.client.send(
      new StartExecutionCommand({ stateMachineArn, name: 'x'.repeat(80) }),
    )
    expect((await stage.ended(executionArn)).output).toBe('{}')
  })

  it('refuses an input that is not JSON or above 256 KiB, and a machine that is not there', async () => {
    await using stage = await setStage()
    const stateMachineArn = await stage.create('passes', passing)
    const start = (input: string) => stage.client.send(new StartExecutionCommand({ stateMachineArn, input }))
    await expect(start('not json')).rejects.toThrow(InvalidExecutionInput)
    await expect(start(JSON.stringify('ä'.repeat(131_072)))).rejects.toThrow('262144')
    await expect(stage.start(`${stateMachineArn}-gone`)).rejects.toThrow(StateMachineDoesNotExist)
  })
})

describe('StopExecution', () => {
  it('ends a running execution as ABORTED with error and cause, and changes nothing the second time', async () => {
    await using stage = await setStage()
    const executionArn = await stage.start(await stage.create('waits', waiting))
    const stop = new StopExecutionCommand({ executionArn, error: 'Cancelled', cause: 'by hand' })
    const { stopDate } = await stage.client.send(stop)
    expect(await stage.ended(executionArn)).toMatchObject({
      status: 'ABORTED',
      error: 'Cancelled',
      cause: 'by hand',
    })
    expect((await stage.client.send(stop)).stopDate).toEqual(stopDate)
    const last = (await historyOf(stage.client, executionArn)).at(-1)
    expect(last).toMatchObject({
      type: 'ExecutionAborted',
      previousEventId: 0,
      executionAbortedEventDetails: { error: 'Cancelled', cause: 'by hand' },
    })
  })
})

describe('DescribeExecution', () => {
  it('knows no execution that was not started', async () => {
    await using stage = await setStage()
    const executionArn = 'arn:aws:states:us-east-1:000000000000:execution:waits:none'
    await expect(stage.client.send(new DescribeExecutionCommand({ executionArn }))).rejects.toThrow(
      ExecutionDoesNotExist,
    )
  })
})

describe('GetExecutionHistory', () => {
  it('comes in pages in both directions', async () => {
    await using stage = await setStage()
    const executionArn = await stage.start(await stage.create('passes', passing))
    await stage.ended(executionArn)
    const page = async (reverseOrder: boolean, nextToken?: string) => {
      const command = new GetExecutionHistoryCommand({ executionArn, maxResults: 3, reverseOrder, nextToken })
      const { events = [], nextToken: next } = await stage.client.send(command)
      return { ids: events.map(({ id }) => id), next }
    }
    const forwards = await page(false)
    const backwards = await page(true)
    expect([forwards.ids, (await page(false, forwards.next)).ids]).toEqual([[1, 2, 3], [4]])
    await expect(page(true, forwards.next)).rejects.toThrow(InvalidToken)
    expect([backwards.ids, (await page(true, backwards.next)).ids]).toEqual([[4, 3, 2], [1]])
  })
})

describe('status changes', () => {
  it('leave out data that would make the event too large', async () => {
    const events: StatusChangeEvent[] = []
    await using stage = await setStage(undefined, { onStatusChange: (event) => events.push(event) })
    await stage.start(await stage.create('passes', passing), 'x'.repeat(200_000))
    while (events.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(events[1]?.detail).toMatchObject({
      input: null,
      inputDetails: { included: false },
      output: expect.any(String),
      outputDetails: { included: true },
    })
  })

  it('are told when an execution begins and once it has ended, as EventBridge tells them', async () => {
    const events: StatusChangeEvent[] = []
    const clock = createManualClock(Date.UTC(2026, 2, 14))
    await using stage = await setStage(undefined, { clock, onStatusChange: (event) => events.push(event) })
    const executionArn = await stage.start(await stage.create('passes', passing), { a: 1 }, 'run-1')
    while (events.length < 2) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(events.map(({ detail }) => [detail.status, detail.stopDate, detail.output])).toEqual([
      ['RUNNING', null, null],
      ['SUCCEEDED', Date.UTC(2026, 2, 14), '{"a":1}'],
    ])
    expect(events.slice(1)).toEqual([
      {
        version: '0',
        id: expect.any(String),
        'detail-type': 'Step Functions Execution Status Change',
        source: 'aws.states',
        account: '000000000000',
        time: '2026-03-14T00:00:00Z',
        region: 'us-east-1',
        resources: [executionArn],
        detail: {
          executionArn,
          stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:passes',
          stateMachineVersionArn: null,
          stateMachineAliasArn: null,
          name: 'run-1',
          status: 'SUCCEEDED',
          startDate: Date.UTC(2026, 2, 14),
          stopDate: Date.UTC(2026, 2, 14),
          input: '{"a":1}',
          inputDetails: { included: true },
          output: '{"a":1}',
          outputDetails: { included: true },
          error: null,
          cause: null,
          redriveCount: 0,
          redriveDate: null,
          redriveStatus: 'NOT_REDRIVABLE',
          redriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
        },
      },
    ])
  })
})
