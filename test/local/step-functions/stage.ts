import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import {
  type StepFunctionsOptions,
  startStepFunctions,
} from '../../../src/local/step-functions/start-step-functions.ts'
import type { StatusChangeEvent } from '../../../src/local/step-functions/status-event.ts'
import { type Invocation, type Reply, startFakeLambda } from './fake-lambda.ts'

export const ROLE_ARN = 'arn:aws:iam::000000000000:role/machine'

/** The definition of a machine whose one state gives this output. */
export const passing = (output: string) =>
  JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'pass',
    States: { pass: { Type: 'Pass', Output: output, End: true } },
  })

/** The real client against a stand-in. */
export function createClient(endpoint: string): SFNClient {
  return new SFNClient({
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    // Otherwise StartSyncExecution goes to a host of its own, `sync-127.0.0.1`.
    disableHostPrefix: true,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
}

/** All pages of a history. */
export async function historyOf(client: SFNClient, executionArn: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = []
  let nextToken: string | undefined
  do {
    const page = await client.send(
      new GetExecutionHistoryCommand({ executionArn, nextToken, maxResults: 1_000 }),
    )
    events.push(...(page.events ?? []))
    nextToken = page.nextToken
  } while (nextToken !== undefined)
  return events
}

export interface Stage extends AsyncDisposable {
  readonly client: SFNClient
  readonly invocations: readonly Invocation[]
  /** Invocations that are being answered. */
  unanswered(): number
  /** Creates a machine of JSONata states. */
  create(name: string, machine: Record<string, unknown>, type?: 'STANDARD' | 'EXPRESS'): Promise<string>
  start(stateMachineArn: string, input?: unknown, name?: string): Promise<string>
  /** Makes `ended` wait for another end of an execution that is about to be redriven. */
  forget(executionArn: string): void
  /** Resolves when the execution has ended. */
  ended(executionArn: string): Promise<DescribeExecutionOutput>
  /** Creates, starts, waits. */
  run(machine: Record<string, unknown>, input?: unknown): Promise<DescribeExecutionOutput>
  types(executionArn: string): Promise<(string | undefined)[]>
}

/** Step Functions and a fake Lambda in a directory of their own, for one test. */
export async function setStage(
  reply: (invocation: Invocation) => Reply | Promise<Reply> = ({ payload }) => ({ result: payload }),
  options: Partial<StepFunctionsOptions> = {},
): Promise<Stage> {
  const { directory = mkdtempSync(join(tmpdir(), 'turnwise-step-functions-')) } = options
  const lambda = await startFakeLambda(reply)
  const events = new Map<string, StatusChangeEvent>()
  const waiting = new Map<string, () => void>()
  const stepFunctions = await startStepFunctions({
    directory,
    lambdaEndpoint: lambda.url,
    onStatusChange(event) {
      if (event.detail.status === 'RUNNING') return
      events.set(event.detail.executionArn, event)
      waiting.get(event.detail.executionArn)?.()
    },
    ...options,
  })
  const client = createClient(stepFunctions.url)
  let machines = 0
  const stage: Stage = {
    client,
    invocations: lambda.invocations,
    unanswered: lambda.unanswered,
    async create(name, machine, type = 'STANDARD') {
      const definition = JSON.stringify({ QueryLanguage: 'JSONata', ...machine })
      const created = await client.send(
        new CreateStateMachineCommand({ name, definition, type, roleArn: ROLE_ARN }),
      )
      return created.stateMachineArn ?? ''
    },
    async start(stateMachineArn, input = {}, name = undefined) {
      const started = await client.send(
        new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input), name }),
      )
      return started.executionArn ?? ''
    },
    forget: (executionArn) => void events.delete(executionArn),
    async ended(executionArn) {
      if (!events.has(executionArn)) await new Promise<void>((resolve) => waiting.set(executionArn, resolve))
      return client.send(new DescribeExecutionCommand({ executionArn }))
    },
    async run(machine, input) {
      machines += 1
      return stage.ended(await stage.start(await stage.create(`machine-${machines}`, machine), input))
    },
    types: async (executionArn) => (await historyOf(client, executionArn)).map(({ type }) => type),
    async [Symbol.asyncDispose]() {
      client.destroy()
      await stepFunctions.close()
      await lambda.close()
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
  return stage
}
