import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  ListExecutionsCommand,
  RedriveExecutionCommand,
  SendTaskSuccessCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { historyOf, type Stage, setStage } from './stage.ts'

const CHILD_ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:child'
const starts = (
  pattern: string,
  fields: Record<string, unknown> = {},
  others: Record<string, unknown> = {},
) => ({
  StartAt: 'start child',
  States: {
    'start child': {
      Type: 'Task',
      Resource: `arn:aws:states:::states:startExecution${pattern}`,
      Arguments: { StateMachineArn: CHILD_ARN, Input: '{% $states.input %}' },
      End: true,
      ...fields,
    },
    ...others,
  },
})
const startsAndCatches = (pattern: string, fields: Record<string, unknown> = {}) =>
  starts(
    pattern,
    { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'caught' }], ...fields },
    { caught: { Type: 'Pass', Output: '{% $states.input %}', End: true } },
  )
const passes = {
  StartAt: 'pass',
  States: { pass: { Type: 'Pass', Output: { seen: '{% $states.input %}' }, End: true } },
}
const waits = { StartAt: 'wait', States: { wait: { Type: 'Wait', Seconds: 3_600, End: true } } }
const fails = {
  StartAt: 'fail',
  States: { fail: { Type: 'Fail', Error: 'NotFound', Cause: 'no such order' } },
}

async function childOf(stage: Stage): Promise<DescribeExecutionOutput> {
  const { executions = [] } = await stage.client.send(
    new ListExecutionsCommand({ stateMachineArn: CHILD_ARN }),
  )
  const [{ executionArn } = {}, ...others] = executions
  expect(others).toEqual([])
  return stage.client.send(new DescribeExecutionCommand({ executionArn }))
}

async function untilChildRuns(stage: Stage): Promise<DescribeExecutionOutput> {
  for (;;) {
    const { executions = [] } = await stage.client.send(
      new ListExecutionsCommand({ stateMachineArn: CHILD_ARN }),
    )
    if (executions.length > 0) return childOf(stage)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function untilWaitsForChild(stage: Stage, executionArn: string): Promise<void> {
  while (!(await stage.types(executionArn)).includes('TaskSubmitted'))
    await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('states:startExecution', () => {
  it('starts an execution and goes on at once', async () => {
    await using stage = await setStage(undefined, { clock: createManualClock(1_000) })
    await stage.create('child', waits)
    const execution = await stage.run(starts(''), { order: 'A-1' })
    const child = await childOf(stage)
    expect(child).toMatchObject({ status: 'RUNNING', input: '{"order":"A-1"}' })
    expect(JSON.parse(execution.output ?? '')).toMatchObject({
      ExecutionArn: child.executionArn,
      StartDate: 1_000,
      SdkHttpMetadata: { HttpStatusCode: 200 },
    })
  })

  it.each([
    ['.sync', '{"order":"A-1"}', '{"seen":{"order":"A-1"}}'],
    ['.sync:2', { order: 'A-1' }, { seen: { order: 'A-1' } }],
  ])('%s waits for its end, and gives its description', async (pattern, input, output) => {
    await using stage = await setStage()
    await stage.create('child', passes)
    const execution = await stage.run(starts(pattern), { order: 'A-1' })
    expect(JSON.parse(execution.output ?? '')).toEqual({
      ExecutionArn: (await childOf(stage)).executionArn,
      Input: input,
      InputDetails: { Included: true },
      Name: expect.any(String),
      Output: output,
      OutputDetails: { Included: true },
      RedriveCount: 0,
      RedriveStatus: 'NOT_REDRIVABLE',
      RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
      StartDate: expect.any(Number),
      StateMachineArn: CHILD_ARN,
      Status: 'SUCCEEDED',
      StopDate: expect.any(Number),
    })
    expect(await stage.types(execution.executionArn ?? '')).toEqual([
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

  it('.sync fails with States.TaskFailed and the description of an execution that failed', async () => {
    await using stage = await setStage()
    await stage.create('child', fails)
    const execution = await stage.run(startsAndCatches('.sync:2'), { order: 'A-1' })
    const { Error: error, Cause } = JSON.parse(execution.output ?? '')
    expect(error).toBe('States.TaskFailed')
    expect(JSON.parse(Cause)).toMatchObject({
      Error: 'NotFound',
      Cause: 'no such order',
      Input: '{"order":"A-1"}',
      Status: 'FAILED',
    })
  })

  it('fails under the name of what the service throws, for a machine that is not there', async () => {
    await using stage = await setStage()
    const execution = await stage.run(startsAndCatches('.sync'))
    expect(JSON.parse(execution.output ?? '')).toEqual({
      Error: 'StepFunctions.StateMachineDoesNotExistException',
      Cause: expect.stringMatching(
        /^State Machine Does Not Exist: '.*:child' \(Service: AWSStepFunctions; Status Code: 400; Error Code: StateMachineDoesNotExist; Request ID: .*; Proxy: null\)$/,
      ),
    })
  })

  it('.waitForTaskToken gives the token to the execution and waits for whoever answers it', async () => {
    await using stage = await setStage()
    await stage.create('child', {
      StartAt: 'answer',
      States: {
        answer: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Arguments: { FunctionName: 'answerer', Payload: '{% $states.input %}' },
          End: true,
        },
      },
    })
    const machine = starts('.waitForTaskToken', {
      Arguments: { StateMachineArn: CHILD_ARN, Input: { token: '{% $states.context.Task.Token %}' } },
      TimeoutSeconds: 60,
    })
    const executionArn = await stage.start(await stage.create('parent', machine))
    const { input = '' } = await untilChildRuns(stage)
    await stage.client.send(
      new SendTaskSuccessCommand({ taskToken: JSON.parse(input).token, output: '{"paid":true}' }),
    )
    expect((await stage.ended(executionArn)).output).toBe('{"paid":true}')
  })

  it.each([
    ['is stopped', undefined, 'ABORTED'],
    ['times out', 60, 'FAILED'],
  ])('.sync stops the execution when the task that waits for it %s', async (_, TimeoutSeconds, status) => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    await stage.create('child', waits)
    const machine = starts('.sync', TimeoutSeconds === undefined ? {} : { TimeoutSeconds })
    const executionArn = await stage.start(await stage.create('parent', machine))
    const running = await untilChildRuns(stage)
    await clock.untilPending(TimeoutSeconds === undefined ? 1 : 2)
    if (TimeoutSeconds === undefined) await stage.client.send(new StopExecutionCommand({ executionArn }))
    else clock.advance(60_000)
    expect((await stage.ended(executionArn)).status).toBe(status)
    const child = await stage.ended(running.executionArn ?? '')
    expect(child).toMatchObject({
      status: 'ABORTED',
      cause: `The Task state in AWS Step Functions execution [${executionArn}] which was managing this resource was aborted`,
    })
    expect(clock.pending()).toBe(0)
  })

  it('of a name that is taken fails, and a task that is tried again starts another execution', async () => {
    const clock = createManualClock()
    await using stage = await setStage(undefined, { clock })
    await stage.create('child', fails)
    const Retry = [{ ErrorEquals: ['States.TaskFailed'], IntervalSeconds: 5, MaxAttempts: 1 }]
    const twice = startsAndCatches('.sync', { Retry })
    const executionArn = await stage.start(await stage.create('twice', twice))
    await clock.untilPending(1)
    clock.advance(5_000)
    await stage.ended(executionArn)
    const { executions } = await stage.client.send(new ListExecutionsCommand({ stateMachineArn: CHILD_ARN }))
    expect(executions).toHaveLength(2)
    const named = startsAndCatches('.sync', {
      Arguments: { StateMachineArn: CHILD_ARN, Name: executions?.[0]?.name },
    })
    const taken = await stage.run(named)
    expect(JSON.parse(taken.output ?? '').Error).toBe('StepFunctions.ExecutionAlreadyExistsException')
  })

  it('that is stopped by hand says who and why, and nothing of its task', async () => {
    await using stage = await setStage()
    await stage.create('child', waits)
    const machine = starts('.sync')
    const executionArn = await stage.start(await stage.create('parent', machine))
    await untilChildRuns(stage)
    await untilWaitsForChild(stage, executionArn)
    await stage.client.send(new StopExecutionCommand({ executionArn, error: 'Cancelled', cause: 'by hand' }))
    const last = (await historyOf(stage.client, executionArn)).at(-1)
    expect(last).toMatchObject({
      type: 'ExecutionAborted',
      previousEventId: 0,
      executionAbortedEventDetails: { error: 'Cancelled', cause: 'by hand' },
    })
  })

  it.each([{}, { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'caught' }] }])(
    '.sync stops the execution when a branch beside its task fails before it is known to have begun, with %j',
    async (caught) => {
      await using stage = await setStage()
      await stage.create('child', waits)
      const execution = await stage.run({
        StartAt: 'both',
        States: {
          both: { Type: 'Parallel', Branches: [starts('.sync:2'), fails], End: true, ...caught },
          ...('Catch' in caught ? { caught: { Type: 'Wait', Seconds: 0, End: true } } : {}),
        },
      })
      expect(execution.status).toBe('Catch' in caught ? 'SUCCEEDED' : 'FAILED')
      const child = await stage.ended((await childOf(stage)).executionArn ?? '')
      expect(child.status).toBe('ABORTED')
    },
  )

  it('.sync leaves an execution alone that was redriven by itself, also after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnwise-redriven-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const clock = createManualClock()
    const failsOnce = {
      StartAt: 'which',
      States: {
        which: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.context.Execution.RedriveCount = 0 %}', Next: 'fail' }],
          Default: 'wait',
        },
        fail: { Type: 'Fail', Error: 'NotFound' },
        wait: { Type: 'Wait', Seconds: 60, End: true },
      },
    }
    let childArn: string
    {
      await using stage = await setStage(undefined, { directory, clock })
      await stage.create('child', failsOnce)
      await stage.run(startsAndCatches('.sync'))
      childArn = (await childOf(stage)).executionArn ?? ''
      await stage.client.send(new RedriveExecutionCommand({ executionArn: childArn }))
    }
    await using stage = await setStage(undefined, { directory, clock })
    const { status } = await stage.client.send(new DescribeExecutionCommand({ executionArn: childArn }))
    expect(status).not.toBe('ABORTED')
  })

  it.each([
    ['its end', 'child', 'parent', { status: 'SUCCEEDED' }],
    ['the end of the task that waited for it', 'parent', 'child', { status: 'ABORTED' }],
  ])('is looked after when the stand-in was killed right after %s', async (_, ended, other, expected) => {
    const directory = mkdtempSync(join(tmpdir(), 'turnwise-nested-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const arns: Record<string, string> = {}
    {
      await using stage = await setStage(undefined, { directory })
      await stage.create('child', waits)
      arns.parent = await stage.start(await stage.create('parent', starts('.sync')))
      arns.child = (await untilChildRuns(stage)).executionArn ?? ''
      await untilWaitsForChild(stage, arns.parent)
    }
    endInStore(directory, arns[ended] ?? '')
    await using stage = await setStage(undefined, { directory })
    expect(await stage.ended(arns[other] ?? '')).toMatchObject(expected)
  })
})

/** What a process leaves that is killed between two transactions: one execution has ended, and the other has not heard of it. */
function endInStore(directory: string, executionArn: string): void {
  const database = new DatabaseSync(join(directory, 'step-functions.sqlite'))
  database
    .prepare("UPDATE execution SET status = 'SUCCEEDED', output = '1', stopped_ms = started_ms WHERE arn = ?")
    .run(executionArn)
  database.close()
}
