import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agents } from '../../functions/agents.ts'
import { exampleOrders } from '../../functions/setup.ts'
import type { RunView } from '../../src/gateway/run-view.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { startScriptedModel } from '../../src/local/models/scripted.ts'
import { type GatewayClient, startTestProject, type TestProject } from '../support/test-project.ts'
import { orderDesk } from './order-desk.ts'

let model: ModelServer
let project: TestProject
let gateway: GatewayClient
beforeAll(async () => {
  model = await startScriptedModel({ replies: orderDesk })
  project = await startTestProject({ functionsDirectory: 'functions', modelUrl: model.url })
  gateway = project.gateway
})
afterAll(async () => {
  await project?.close()
  await model?.close()
})

const orderOf = (orderNumber: string) => exampleOrders.find((order) => order.orderNumber === orderNumber)
const post = (body: string, headers: Record<string, string> = {}) =>
  gateway.ask('/runs', { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const aTime = () => expect.stringMatching(TIME)

describe('N44 a run is submitted to the gateway and looked at there', () => {
  it('answers a question about an order, with a record of its turns and calls', async () => {
    const question = 'Where is order A-1007?'
    const submitted = await gateway.submit('order_agent', { question })
    expect(submitted).toMatchObject({
      kind: 'thinker',
      agent: 'order_agent',
      status: 'running',
      input: { question },
    })
    const run = await gateway.ended(submitted.id)
    const found = JSON.stringify(orderOf('A-1007'))
    const said = { answer: found, orderNumber: 'A-1007' }
    const modelSaid = { startedAt: aTime(), endedAt: aTime(), model: 'scripted', usage: expect.anything() }
    expect(run).toEqual({
      id: submitted.id,
      kind: 'thinker',
      agent: 'order_agent',
      status: 'completed',
      createdAt: aTime(),
      endedAt: aTime(),
      input: { question },
      answer: said,
      turns: [
        {
          number: 1,
          ...modelSaid,
          outcome: 'calls',
          calls: [
            {
              name: 'order_status',
              input: { orderNumber: 'A-1007' },
              status: 'completed',
              output: orderOf('A-1007'),
              startedAt: aTime(),
              endedAt: aTime(),
            },
          ],
        },
        { number: 2, ...modelSaid, outcome: 'answer', text: JSON.stringify(said) },
      ],
      steps: [],
    })
    expect(timesOf(run)).toEqual(timesOf(run).toSorted())
  })

  it('refunds an order in the table', async () => {
    const run = await gateway.ended(
      (await gateway.submit('order_agent', { question: 'Refund order A-1012' })).id,
    )
    expect(run.answer).toEqual({
      answer: JSON.stringify({ orderNumber: 'A-1012', refunded: orderOf('A-1012')?.total }),
      orderNumber: 'A-1012',
    })
    expect(await readOrder('A-1012')).toMatchObject({ status: { S: 'refunded' }, refunds: { N: '1' } })
  })

  it('reports on a customer, with a record of the steps in the order of the plan', async () => {
    const { id } = await gateway.submit('customer_report', { customerId: 'C-07' })
    const run = await gateway.ended(id)
    const orders = exampleOrders.filter(({ customerId }) => customerId === 'C-07')
    const lines = orders.map(({ orderNumber, status, total }) => ({ orderNumber, status, total }))
    expect(run).toMatchObject({
      kind: 'doer',
      status: 'completed',
      answer: { customerId: 'C-07', lines, summary: `${orders.length} orders` },
      turns: [],
    })
    expect(
      run.steps.map(({ number, step, indexes, name, status }) => [number, step, indexes, name, status]),
    ).toEqual([
      [1, 'list orders', undefined, 'list_orders', 'completed'],
      ...orders.map((_, index) => [2, 'look up', [index], 'order_status', 'completed']),
      [3, 'write summary', undefined, 'report_writer', 'completed'],
    ])
    const [list, , writer] = [run.steps.at(0), run.steps.at(1), run.steps.at(-1)]
    expect(list).toMatchObject({ output: { orders }, startedAt: aTime(), endedAt: aTime() })
    expect(String(list?.endedAt) <= String(writer?.startedAt)).toBe(true)
    expect(await gateway.look(String(writer?.run))).toMatchObject({
      agent: 'report_writer',
      answer: { summary: `${orders.length} orders` },
    })
  })

  it('lists the agents that it serves', async () => {
    const { status, body } = await gateway.ask('/agents')
    const listed = agents.map(({ name, kind, displayName, description }) => ({
      name,
      kind,
      displayName,
      description,
    }))
    expect([status, body]).toEqual([200, { agents: listed }])
  })
})

describe('N44 what the gateway refuses', () => {
  it.each([
    [
      'a body that is not JSON',
      '{"agent": order}',
      /^The body is not JSON \(.+\); send \{"agent"/,
      undefined,
    ],
    ['an empty body', '', /^The body is not JSON/, undefined],
    ['a body without an agent', '{"input":{"question":"?"}}', /^agent: /, 'agent'],
    ['a body without an input', '{"agent":"order_agent"}', /^input: /, 'input'],
    ['an input that is no object', '{"agent":"order_agent","input":["?"]}', /^input: /, 'input'],
    [
      'an input with a wrong field',
      '{"agent":"order_agent","input":{"question":7}}',
      /^input\.question: /,
      'input.question',
    ],
    [
      'an input that lacks a field',
      '{"agent":"customer_report","input":{}}',
      /^input\.customerId: /,
      'input.customerId',
    ],
    [
      'a number that no double holds',
      '{"agent":"order_agent","input":{"question":9007199254740993}}',
      /9007199254740993/,
      undefined,
    ],
  ])('%s is answered with 400, which says where', async (_, body, message, field) => {
    expect(await post(body)).toEqual({
      status: 400,
      body: {
        error: {
          name: 'InvalidInput',
          message: expect.stringMatching(message),
          ...(field !== undefined && { fields: [{ field, problem: expect.any(String) }] }),
        },
      },
    })
  })

  it.each([
    [
      'an unknown agent',
      '/runs',
      'POST',
      `No agent is named "order_stats"; known: ${agents.map(({ name }) => name).join(', ')}`,
    ],
    ['an unknown run', '/runs/0123', 'GET', 'No run has the id "0123"'],
    ['the cancel of an unknown run', '/runs/0123/cancel', 'POST', 'No run has the id "0123"'],
    ['an unknown path', '/run', 'GET', 'There is no GET /run'],
  ])('%s is answered with 404', async (_, path, method, message) => {
    const body = method === 'POST' ? { body: JSON.stringify({ agent: 'order_stats', input: {} }) } : {}
    expect(await gateway.ask(path, { method, ...body })).toEqual({
      status: 404,
      body: { error: { name: 'NotFound', message } },
    })
  })

  it('a body above 5 MB is answered with 413', async () => {
    const question = 'x'.repeat(5 * 1_024 * 1_024)
    const { status, body } = await post(JSON.stringify({ agent: 'order_agent', input: { question } }))
    expect([status, body]).toEqual([
      413,
      { error: { name: 'InvalidInput', message: 'The body is larger than 5242880 bytes' } },
    ])
  })
})

describe('N44 an Idempotency-Key', () => {
  const refund = (orderNumber: string, key: string) =>
    post(JSON.stringify({ agent: 'order_agent', input: { question: `Refund ${orderNumber}` } }), {
      'Idempotency-Key': key,
    })

  it('gives two submissions at once the same run and one effect', async () => {
    const answers = await Promise.all([refund('A-1101', 'at once'), refund('A-1101', 'at once')])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    const ids = new Set(answers.map(({ body }) => (body as RunView).id))
    expect(ids.size).toBe(1)
    const run = await gateway.ended([...ids].join())
    expect(run).toMatchObject({ status: 'completed', turns: [{ calls: [{ status: 'completed' }] }, {}] })
    expect(await readOrder('A-1101')).toMatchObject({ refunds: { N: '1' } })
    const asked = model.requests.filter(({ messages }) => JSON.stringify(messages).includes('A-1101'))
    expect(asked).toHaveLength(2)
  })

  it('gives a repeat after the end the run as it ended', async () => {
    const first = await refund('A-1102', 'later')
    const run = await gateway.ended((first.body as RunView).id)
    expect(await refund('A-1102', 'later')).toEqual({ status: 202, body: run })
  })

  it('is answered with 409 when it comes with another input', async () => {
    const first = (await refund('A-1103', 'mine')).body as RunView
    expect(await refund('A-1104', 'mine')).toEqual({
      status: 409,
      body: {
        error: {
          name: 'InvalidInput',
          message: `The Idempotency-Key "mine" belongs to the run ${first.id}, which has another input`,
        },
      },
    })
    await gateway.ended(first.id)
    expect(await readOrder('A-1104')).not.toHaveProperty('refunds')
  })
})

/** All times of a thinker's run, in the order in which they must have passed. */
function timesOf({ createdAt, endedAt, turns }: RunView): (string | undefined)[] {
  const ofTurns = turns.flatMap((turn) => [
    turn.startedAt,
    turn.endedAt,
    ...(turn.calls ?? []).flatMap((call) => [call.startedAt, call.endedAt]),
  ])
  return [createdAt, ...ofTurns, endedAt]
}

async function readOrder(orderNumber: string) {
  const { environment } = project
  const client = new DynamoDBClient({
    endpoint: String(environment.AWS_ENDPOINT_URL_DYNAMODB),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  try {
    const command = new GetItemCommand({
      TableName: environment.ORDERS_TABLE,
      Key: { orderNumber: { S: orderNumber } },
      ConsistentRead: true,
    })
    return (await client.send(command)).Item
  } finally {
    client.destroy()
  }
}
