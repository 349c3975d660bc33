import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DescribeExecutionCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createManualClock } from '../../../src/local/manual-clock.ts'
import { startStepFunctions } from '../../../src/local/step-functions/start-step-functions.ts'
import { createClient, setStage } from './stage.ts'

const asks = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: { FunctionName: 'ask', InvocationType: 'Event', Payload: '{% $states.context.Task.Token %}' },
  End: true,
}

it('lets executions from before, and what is asked of them, wait until it is told to go on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'paused-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const clock = createManualClock()
  const machines: Record<string, string> = {}
  const executions: Record<string, string> = {}
  let taskToken: string
  {
    await using stage = await setStage(undefined, { directory, clock })
    for (const [name, state] of Object.entries({
      waits: { Type: 'Wait', Seconds: 60, End: true },
      asks,
      stopped: { Type: 'Wait', Seconds: 3_600, End: true },
    })) {
      machines[name] = await stage.create(name, { StartAt: name, States: { [name]: state } })
      executions[name] = await stage.start(machines[name])
    }
    while (!(await stage.types(executions.asks ?? '')).includes('TaskSubmitted')) {}
    taskToken = z.string().parse(stage.invocations[0]?.payload)
  }

  const second = await startStepFunctions({
    directory,
    clock,
    lambdaEndpoint: 'http://127.0.0.1:9',
    startPaused: true,
  })
  onTestFinished(() => second.close())
  const client = createClient(second.url)
  const statusOf = async (name: string) =>
    (await client.send(new DescribeExecutionCommand({ executionArn: executions[name] }))).status
  const asked = Promise.all([
    client.send(new SendTaskSuccessCommand({ taskToken, output: '"answered"' })),
    client.send(new StopExecutionCommand({ executionArn: executions.stopped })),
    client.send(new StartExecutionCommand({ stateMachineArn: machines.waits, name: 'another' })),
  ])
  clock.advance(60_000)
  expect([await statusOf('waits'), await statusOf('asks'), await statusOf('stopped')]).toEqual([
    'RUNNING',
    'RUNNING',
    'RUNNING',
  ])
  second.resume()
  await asked
  await expect.poll(() => statusOf('waits')).toBe('SUCCEEDED')
  expect([await statusOf('asks'), await statusOf('stopped')]).toEqual(['SUCCEEDED', 'ABORTED'])
})
