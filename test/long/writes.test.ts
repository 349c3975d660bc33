import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTableFaults, type TableFaults } from '../../src/local/dynamodb/faults/start-table-faults.ts'
import { type DynamoDb, startDynamoDb } from '../../src/local/dynamodb/start-dynamodb.ts'
import { startProxy } from '../../src/local/fault-proxy.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import {
  type RecordedRequest,
  type ScriptedReply,
  startScriptedModel,
} from '../../src/local/models/scripted.ts'
import { RUNS_TABLE } from '../../src/local/stack/environment.ts'
import { startTestProject, type TestProject } from '../support/test-project.ts'

/** One write that the table took. */
interface Write {
  readonly pk: string
  readonly sk: string
}

const directory = join(import.meta.dirname, '../../.turnwise/test', `writes-${process.pid}`)
const writes: Write[] = []
let table: DynamoDb
/** Counts what AWS would charge, the index of open runs included. */
let counted: TableFaults
let proxy: Awaited<ReturnType<typeof startProxy>>
let model: ModelServer
let project: TestProject

beforeAll(async () => {
  table = await startDynamoDb({ directory })
  counted = await startTableFaults({ target: table.url, seed: 1 })
  proxy = await startProxy({
    target: counted.url,
    on: ({ target = '', body }) => {
      const written: WrittenBody = JSON.parse(body)
      if (!/\.(PutItem|UpdateItem)$/.test(target) || written.TableName !== RUNS_TABLE) return undefined
      const { pk, sk } = written.Key ?? written.Item
      return { kind: 'call-after', run: () => void writes.push({ pk: String(pk?.S), sk: String(sk?.S) }) }
    },
  })
  model = await startScriptedModel({ replies: asksInTurns })
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted', AWS_ENDPOINT_URL_DYNAMODB: proxy.url }
  project = await startTestProject({
    functionsDirectory: 'functions',
    modelUrl: model.url,
    stack: { env, sweepEveryMs: 3_600_000 },
  })
})
afterAll(async () => {
  await project?.close()
  await model?.close()
  await proxy?.close()
  await counted?.close()
  await table?.close()
  await rm(directory, { recursive: true, force: true })
})

describe('writes to the table of runs', () => {
  it('are two for a turn, one for a call that reads, two for a call that changes things, and three for the run', async () => {
    const reads = await writesOf('3 turns of status')
    expect(namesOf(reads)).toEqual([
      ...['RUN', 'RUN', 'RUN'],
      ...[1, 2, 3].flatMap((turn) => [`T#00000${turn}`, `T#00000${turn}`, `T#00000${turn}#R`]),
      ...['T#000004', 'T#000004'],
    ])
    const changes = await writesOf('1 turns of refund')
    expect(namesOf(changes)).toEqual([
      ...['RUN', 'RUN', 'RUN'],
      ...['T#000001', 'T#000001', 'T#000001#R', 'T#000001#R'],
      ...['T#000002', 'T#000002'],
    ])
  })

  it('cost units in proportion to the turns of a run', { timeout: 90_000 }, async () => {
    const [five, twenty, forty] = [
      await unitsOf('5 turns of status'),
      await unitsOf('20 turns of status'),
      await unitsOf('40 turns of status'),
    ]
    const perTurn = { from5to20: (twenty - five) / 15, from20to40: (forty - twenty) / 20 }
    console.log('Write units of runs of 5, 20 and 40 turns:', five, twenty, forty, 'per turn:', perTurn)
    // What a run costs without its turns, taken from the two shorter ones.
    const constant = five - 5 * perTurn.from5to20
    expect((forty - constant) / (twenty - constant) / 2).toBeGreaterThan(0.9)
    expect((forty - constant) / (twenty - constant) / 2).toBeLessThan(1.1)
    expect(perTurn.from20to40).toBeLessThanOrEqual(3)
  })
})

/** A task such as `20 turns of status` asks for one call a turn, each for another order. */
function asksInTurns({ messages }: RecordedRequest): ScriptedReply {
  const { question }: { question: string } = JSON.parse(String(messages[1]?.content))
  const taken = messages.filter(({ role }) => role === 'assistant').length
  if (taken === Number.parseInt(question, 10)) return { text: '{"answer":"done","orderNumber":null}' }
  const orderNumber = `A-${1001 + taken}`
  return question.endsWith('refund')
    ? { calls: [{ name: 'refund_order', arguments: { orderNumber, reason: 'late' } }] }
    : { calls: [{ name: 'order_status', arguments: { orderNumber } }] }
}

async function writesOf(question: string): Promise<readonly Write[]> {
  const { id } = await project.gateway.submit('order_agent', { question })
  const run = await project.gateway.ended(id, 80_000)
  expect(run.status).toBe('completed')
  const ofRun = () => writes.filter(({ pk }) => pk === `RUN#${id}`)
  // The end is written first, and that it was told after it.
  await expect.poll(() => ofRun().filter(({ sk }) => sk === 'RUN').length, { timeout: 10_000 }).toBe(3)
  return ofRun()
}

const namesOf = (all: readonly Write[]): string[] => all.map(({ sk }) => sk).toSorted()

async function unitsOf(question: string): Promise<number> {
  counted.resetConsumed()
  await writesOf(question)
  const { writeUnits = 0, indexes = {} } = counted.consumed()[RUNS_TABLE] ?? {}
  return Object.values(indexes).reduce((sum, index) => sum + index.writeUnits, writeUnits)
}

type Attributes = Record<string, AttributeValue>
interface WrittenBody {
  readonly TableName: string
  readonly Key?: Attributes
  readonly Item: Attributes
}
