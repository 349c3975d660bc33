import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { CreateStateMachineCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { startLambda } from '../src/local/lambda/start-lambda.ts'
import { LOCAL_CREDENTIALS } from '../src/local/stack/environment.ts'
import { startStepFunctions } from '../src/local/step-functions/start-step-functions.ts'
import { median } from './median.ts'
import { time } from './time.ts'

const ROUNDS = 5
const CHAIN = 1_000
const ITEMS = 1_000
const AT_ONCE = 40
const EXECUTIONS = 1_000
const STATES = 10

/** What the local Step Functions cost: transitions, a Map of invocations, and memory, on disk as always. */
export async function benchStandIn(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'turnwise-bench-'))
  const stage = await setStage(directory)
  try {
    await benchChain(stage, directory)
    await benchMap(stage)
    await benchMemory(stage)
  } finally {
    await stage.close()
    await rm(directory, { recursive: true, force: true })
  }
}

interface Stage {
  readonly lambda: LambdaClient
  create(name: string, machine: Record<string, unknown>): Promise<string>
  /** Resolves when the execution has succeeded. */
  run(stateMachineArn: string): Promise<void>
  close(): Promise<void>
}

async function setStage(directory: string): Promise<Stage> {
  const entry = join(directory, 'echo.ts')
  await writeFile(entry, 'export const handler = async (event: unknown) => event\n')
  const standInLambda = await startLambda({
    directory: join(directory, 'lambda'),
    functions: [{ name: 'echo', entry, timeoutSeconds: 30, memoryMb: 256 }],
    maximumProcesses: 4,
  })
  const ended = new Map<string, (status: string) => void>()
  const over = new Map<string, string>()
  const stepFunctions = await startStepFunctions({
    directory: join(directory, 'step-functions'),
    lambdaEndpoint: standInLambda.url,
    onStatusChange({ detail: { executionArn, status } }) {
      if (status === 'RUNNING') return
      over.set(executionArn, status)
      ended.get(executionArn)?.(status)
    },
  })
  const place = { region: 'us-east-1', credentials: LOCAL_CREDENTIALS }
  const client = new SFNClient({ ...place, endpoint: stepFunctions.url })
  const lambda = new LambdaClient({ ...place, endpoint: standInLambda.url })
  return {
    lambda,
    async create(name, machine) {
      const definition = JSON.stringify({ QueryLanguage: 'JSONata', ...machine })
      const roleArn = 'arn:aws:iam::000000000000:role/bench'
      const created = await client.send(new CreateStateMachineCommand({ name, definition, roleArn }))
      return created.stateMachineArn ?? ''
    },
    async run(stateMachineArn) {
      const { executionArn = '' } = await client.send(new StartExecutionCommand({ stateMachineArn }))
      const status =
        over.get(executionArn) ?? (await new Promise((resolve) => ended.set(executionArn, resolve)))
      over.delete(executionArn)
      ended.delete(executionArn)
      if (status !== 'SUCCEEDED') throw new Error(`An execution ended ${status}`)
    },
    async close() {
      client.destroy()
      lambda.destroy()
      await stepFunctions.close()
      await standInLambda.close()
    },
  }
}

/** Against as many transactions of one row in the same kind of database. */
async function benchChain(stage: Stage, directory: string): Promise<void> {
  const arn = await stage.create('chain', passes(CHAIN))
  await stage.run(arn)
  const { measured, baseline } = await alternate(
    () => stage.run(arn),
    async () => bareTransactions(join(directory, 'bare.sqlite')),
  )
  report(
    `Pass, chains of ${CHAIN}`,
    `${((CHAIN / measured) * 1_000).toFixed(0)} transitions/s, ${(measured / CHAIN).toFixed(3)} ms each; ` +
      `a bare transaction ${(baseline / CHAIN).toFixed(3)} ms; ratio ${(measured / baseline).toFixed(2)}`,
  )
}

/** Against as many invocations through the SDK, as many at once. */
async function benchMap(stage: Stage): Promise<void> {
  const arn = await stage.create('map', {
    StartAt: 'each',
    States: {
      each: {
        Type: 'Map',
        Items: `{% [1..${ITEMS}] %}`,
        MaxConcurrency: AT_ONCE,
        ItemProcessor: {
          StartAt: 'invoke',
          States: {
            invoke: {
              Type: 'Task',
              Resource: 'arn:aws:states:::lambda:invoke',
              Arguments: { FunctionName: 'echo', Payload: '{% $states.input %}' },
              Output: '{% $states.result.Payload %}',
              End: true,
            },
          },
        },
        End: true,
      },
    },
  })
  await stage.run(arn)
  const { measured, baseline } = await alternate(
    () => stage.run(arn),
    () => bareInvocations(stage.lambda),
  )
  report(
    `Map of ${ITEMS}, ${AT_ONCE} at once`,
    `${measured.toFixed(0)} ms, ${(measured / ITEMS).toFixed(2)} ms an item; ` +
      `bare invocations ${(baseline / ITEMS).toFixed(2)} ms each; ratio ${(measured / baseline).toFixed(2)}`,
  )
}

async function benchMemory(stage: Stage): Promise<void> {
  const arn = await stage.create('short', passes(STATES))
  const heapBefore = heapAfterCollection()
  for (let done = 0; done < EXECUTIONS; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, EXECUTIONS - done) }, () => stage.run(arn)))
  const heapAfter = heapAfterCollection()
  const { rss } = process.memoryUsage()
  report(
    `${EXECUTIONS} executions of ${STATES} states`,
    `heap ${megabytes(heapBefore)} MB before, ${megabytes(heapAfter)} MB after; resident ${megabytes(rss)} MB`,
  )
}

function passes(length: number): Record<string, unknown> {
  const states = Array.from({ length }, (_, index) => [
    `pass ${index}`,
    {
      Type: 'Pass',
      Output: { count: `{% ${index} %}` },
      ...(index === length - 1 ? { End: true } : { Next: `pass ${index + 1}` }),
    },
  ])
  return { StartAt: 'pass 0', States: Object.fromEntries(states) }
}

async function bareInvocations(client: LambdaClient): Promise<void> {
  let left = ITEMS
  const worker = async () => {
    while (left-- > 0) await client.send(new InvokeCommand({ FunctionName: 'echo', Payload: '{}' }))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function bareTransactions(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, text TEXT)',
  )
  const insert = database.prepare('INSERT INTO bare (text) VALUES (?)')
  for (let count = 0; count < CHAIN; count++) insert.run(`{"count":${count}}`)
  database.close()
}

/** Medians in ms of the two works, done in turns so that what disturbs one disturbs the other. */
async function alternate(work: () => Promise<void>, other: () => Promise<void>) {
  const measured: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    baseline.push(await time(other))
    measured.push(await time(work))
  }
  return { measured: median(measured), baseline: median(baseline) }
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(1)

function report(subject: string, figures: string): void {
  process.stdout.write(`${subject}: ${figures}\n`)
}
