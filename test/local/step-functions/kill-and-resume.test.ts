import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { type Reply, startFakeLambda } from './fake-lambda.ts'
import { createClient, historyOf, ROLE_ARN } from './stage.ts'

async function startHost(directory: string, lambdaEndpoint: string) {
  const host = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures/host.ts'), directory, lambdaEndpoint],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => {
    host.kill('SIGKILL')
  })
  const [url] = await once(createInterface(host.stdout), 'line')
  return { host, client: createClient(String(url)) }
}

async function kill(host: ChildProcess): Promise<void> {
  host.kill('SIGKILL')
  await once(host, 'exit')
}

const invoke = (functionName: string, fields: Record<string, unknown> = {}) => ({
  StartAt: functionName,
  States: {
    [functionName]: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: functionName, Payload: {} },
      Output: '{% $states.result.Payload %}',
      End: true,
      ...fields,
    },
  },
})
const asking = (FunctionName: string) => ({
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: { FunctionName, InvocationType: 'Event', Payload: '{% $states.context.Task.Token %}' },
  Output: '{% $states.result %}',
})
const machine = {
  QueryLanguage: 'JSONata',
  StartAt: 'all',
  States: {
    all: {
      Type: 'Parallel',
      Branches: [
        { StartAt: 'wait', States: { wait: { Type: 'Wait', Seconds: 1, Output: 'waited', End: true } } },
        invoke('retried', { Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1 }] }),
        invoke('in-flight', { Retry: [{ ErrorEquals: ['Lambda.ServiceException'], IntervalSeconds: 1 }] }),
        invoke('asked', asking('asked')),
        invoke('unheard', asking('unheard')),
      ],
      End: true,
    },
  },
}

it('goes on where it was after SIGKILL: a wait, a retry, invocations in flight and a task token', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-kill-'))
  const calls = new Map<string, number>()
  const lambda = await startFakeLambda(({ functionName }): Reply | Promise<Reply> => {
    const call = (calls.get(functionName) ?? 0) + 1
    calls.set(functionName, call)
    if (functionName === 'retried' && call === 1) return { functionError: { errorType: 'Busy' } }
    if ((functionName === 'in-flight' || functionName === 'unheard') && call === 1)
      return new Promise(() => {})
    return { result: `${functionName} ${call}` }
  })
  const first = await startHost(directory, lambda.url)
  const { stateMachineArn } = await first.client.send(
    new CreateStateMachineCommand({ name: 'm', definition: JSON.stringify(machine), roleArn: ROLE_ARN }),
  )
  const { executionArn = '' } = await first.client.send(new StartExecutionCommand({ stateMachineArn }))
  await untilHistoryHas(
    first.client,
    executionArn,
    ['TaskFailed', 'TaskSubmitted'],
    () => lambda.invocations.length === 4,
  )
  await kill(first.host)

  const second = await startHost(directory, lambda.url)
  // The token that was asked for before the kill is good after it, also where the asking itself is repeated.
  for (const name of ['asked', 'unheard']) {
    const payload = lambda.invocations.find(({ functionName }) => functionName === name)?.payload
    const taskToken = z.string().parse(payload)
    if (name === 'unheard') await until(() => calls.get(name) === 2)
    await second.client.send(new SendTaskSuccessCommand({ taskToken, output: `"answered ${name}"` }))
  }
  const execution = await ended(second.client, executionArn)
  expect(JSON.parse(execution.output ?? '')).toEqual([
    'waited',
    'retried 2',
    'in-flight 2',
    'answered asked',
    'answered unheard',
  ])
  expect(Object.fromEntries(calls)).toEqual({ retried: 2, 'in-flight': 2, asked: 1, unheard: 2 })
  const events = await historyOf(second.client, executionArn)
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
  expect(events.flatMap(({ taskFailedEventDetails }) => taskFailedEventDetails?.error ?? [])).toEqual([
    'Busy',
    'Lambda.ServiceException',
  ])
  await kill(second.host)
  await lambda.close()
  rmSync(directory, { recursive: true })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function untilHistoryHas(
  client: SFNClient,
  executionArn: string,
  wanted: string[],
  also: () => boolean,
) {
  for (;;) {
    const types = (await historyOf(client, executionArn)).map(({ type }) => type)
    if (also() && wanted.every((type) => types.includes(type as (typeof types)[number]))) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function ended(client: SFNClient, executionArn: string) {
  for (;;) {
    const execution = await client.send(new DescribeExecutionCommand({ executionArn }))
    if (execution.status !== 'RUNNING') return execution
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
