import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStepFunctions } from '../../../src/local/step-functions/start-step-functions.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const clientOf = (endpoint: string) => new SFNClient({ endpoint, region: 'us-east-1', credentials })
const nowhere = { lambdaEndpoint: 'http://127.0.0.1:9' }
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 1_300))

describe('a paused start', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'paused-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('lets executions from before wait until it is told to go on', async () => {
    const first = await startStepFunctions({ directory, ...nowhere })
    const definition = JSON.stringify({
      QueryLanguage: 'JSONata',
      StartAt: 'wait',
      States: { wait: { Type: 'Wait', Seconds: 1, End: true } },
    })
    const roleArn = 'arn:aws:iam::000000000000:role/any'
    const { stateMachineArn } = await clientOf(first.url).send(
      new CreateStateMachineCommand({ name: 'waits', definition, roleArn }),
    )
    const { executionArn } = await clientOf(first.url).send(new StartExecutionCommand({ stateMachineArn }))
    await first.close()

    const second = await startStepFunctions({ directory, ...nowhere, startPaused: true })
    const statusOf = async () =>
      (await clientOf(second.url).send(new DescribeExecutionCommand({ executionArn }))).status
    await aWhile()
    expect(await statusOf()).toBe('RUNNING')
    second.resume()
    await aWhile()
    expect(await statusOf()).toBe('SUCCEEDED')
    await second.close()
  })
})
