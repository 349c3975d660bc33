import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ModelServer } from '../../../src/local/models/model-server.ts'
import { startRehearsalModel } from '../../../src/local/models/rehearsal.ts'
import { answerSchema, inputSchema } from '../../../src/model/json-schema.ts'
import type { Message, Model, Reply, ToolOffer } from '../../../src/model/types.ts'
import { ask, modelAt } from '../../model/probe.ts'

let server: ModelServer
let model: Model
beforeAll(async () => {
  server = await startRehearsalModel()
  model = modelAt(server)
})
afterAll(() => server.close())

const orderNumber = z.string().regex(/^A-\d{4}$/)
const offer = (name: string, description: string, input: z.ZodObject): ToolOffer => ({
  name,
  description,
  parameters: inputSchema({ kind: 'tool', name, input }),
})
const tools = [
  offer(
    'refund_order',
    'Refunds an order that arrived late or broken, or is not wanted',
    z.object({ orderNumber, reason: z.enum(['late', 'broken', 'unwanted']) }),
  ),
  offer(
    'order_status',
    'Looks up one order: its status, total and promised date [read-only]',
    z.object({ orderNumber }),
  ),
  offer(
    'list_orders',
    'Lists the orders of a customer [read-only]',
    z.object({ customerId: z.string().regex(/^C-\d{2}$/) }),
  ),
]
const orderAnswer = z.object({ answer: z.string(), orderNumber: orderNumber.optional() })
const agent = (output: z.ZodType) => ({
  name: 'agent',
  schema: answerSchema({ kind: 'thinker', name: 'agent', output }),
})
const user = (input: unknown): Message => ({
  role: 'user',
  text: typeof input === 'string' ? input : JSON.stringify(input),
})

/** A conversation so far, in which each of these calls has come back. */
function conversation(
  question: unknown,
  ...outcomes: (readonly [name: string, given: object, text: string])[]
): Message[] {
  return [
    { role: 'system', text: 'You know all about orders.' },
    user(question),
    ...outcomes.flatMap(([name, given, text], index): Message[] => [
      { role: 'assistant', text: '', calls: [{ id: `c${index}`, name, arguments: JSON.stringify(given) }] },
      { role: 'tool', callId: `c${index}`, text },
    ]),
  ]
}
function turn(messages: Message[], output: z.ZodType = orderAnswer, offered = tools): Promise<Reply> {
  return model.exchange(ask({ messages, tools: offered, answer: agent(output) }))
}
async function callFor(question: unknown) {
  const { calls } = await turn(conversation(question))
  return calls.map((call) => [call.name, JSON.parse(call.arguments)])
}
async function answerTo<T>(messages: Message[], output: z.ZodType<T>, offered = tools): Promise<T> {
  const reply = await turn(messages, output, offered)
  expect(reply).toMatchObject({ stop: 'answer', model: 'rehearsal' })
  return output.parse(JSON.parse(reply.text))
}

const status = JSON.stringify({
  orderNumber: 'A-1007',
  status: 'shipped',
  customerId: 'C-07',
  promised: '2026-12-03',
  total: 42.5,
})

describe('the tool that the rehearsal model calls', () => {
  it.each([
    ['Where is order A-1007?', ['order_status', { orderNumber: 'A-1007' }]],
    ['Refund order A-1007, it arrived broken', ['refund_order', { orderNumber: 'A-1007', reason: 'broken' }]],
    ['Please refund A-1007: it came damaged.', ['refund_order', { orderNumber: 'A-1007', reason: 'broken' }]],
    ['Refund A-1007, I changed my mind', ['refund_order', { orderNumber: 'A-1007', reason: 'unwanted' }]],
    [
      'I want my money back for A-1007, it is defective',
      ['refund_order', { orderNumber: 'A-1007', reason: 'broken' }],
    ],
    ['Which orders does customer C-07 have?', ['list_orders', { customerId: 'C-07' }]],
    [
      { question: 'What about my parcel?', orderNumber: 'A-0001' },
      ['order_status', { orderNumber: 'A-0001' }],
    ],
  ])('for %j is %j', async (question, call) => {
    expect(await callFor(question)).toEqual([call])
  })

  it('changes nothing unless the question asks for it', async () => {
    expect(await callFor('Order A-1007 is late')).toEqual([['order_status', { orderNumber: 'A-1007' }]])
    expect((await turn(conversation('Order A-1007 is late'), orderAnswer, tools.slice(0, 1))).stop).toBe(
      'answer',
    )
  })

  it('is none when the question lacks what the tools need', async () => {
    const answer = await answerTo(conversation('How are you?'), orderAnswer)
    expect(answer).toEqual({ answer: 'No tool here fits the question "How are you?"' })
  })

  it('is not called again for a correction, and is for a new question', async () => {
    const answered: Message[] = [
      ...conversation('Where is A-1007?', ['order_status', { orderNumber: 'A-1007' }, status]),
      { role: 'assistant', text: 'x', calls: [] },
    ]
    expect(await answerTo([...answered, user('The answer must be JSON')], orderAnswer)).toMatchObject({
      orderNumber: 'A-1007',
    })
    const next = await turn([...answered, user('And where is A-1008?')])
    expect(next.calls).toMatchObject([{ name: 'order_status', arguments: '{"orderNumber":"A-1008"}' }])
  })

  it('may have the name of what every object has', async () => {
    const build = offer(
      'constructor',
      'Builds by toString and __proto__ [read-only]',
      z.object({ orderNumber }),
    )
    const { calls } = await turn(conversation('Build A-1007'), orderAnswer, [build])
    expect(calls).toMatchObject([{ name: 'constructor' }])
  })

  it('takes a number that stands alone, a nullable field as null, and leaves an optional number out', async () => {
    const input = z.object({
      amount: z.number().max(500),
      note: z.string().nullable(),
      limit: z.number().optional(),
    })
    const pay = offer('pay_out', 'Pays money out', input)
    const { calls } = await turn(conversation('Pay 250.5 out for A-1007'), orderAnswer, [pay])
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ amount: 250.5, note: null }])
  })
})

describe('the answer of the rehearsal model', () => {
  it('tells what came back in a sentence, and fills fields by their names', async () => {
    const messages = conversation({ question: 'Where is order A-1007?' }, [
      'order_status',
      { orderNumber: 'A-1007' },
      status,
    ])
    expect(await answerTo(messages, orderAnswer)).toEqual({
      answer: 'order A-1007: status shipped, customer C-07, promised 2026-12-03, total 42.5',
      orderNumber: 'A-1007',
    })
  })

  it.each([
    ['as text', 'NotFound: No order "A-9999"\nIt does not exist; check what you asked for.'],
    ['as an error', '{"name":"NotFound","message":"NotFound: No order \\"A-9999\\""}'],
  ])('says that a tool failed, when it said so %s', async (_, text) => {
    const messages = conversation({ question: 'Where is order A-9999?' }, [
      'order_status',
      { orderNumber: 'A-9999' },
      text,
    ])
    expect(await answerTo(messages, orderAnswer)).toEqual({
      answer: 'order_status failed: NotFound: No order "A-9999"',
      orderNumber: 'A-9999',
    })
  })

  it('sums up an input without tools', async () => {
    const lines = Array.from(Array(7).keys(), (index) => ({
      orderNumber: `A-100${index}`,
      status: 'open',
      total: 10 + index,
    }))
    const answer = await answerTo(
      conversation({ customerId: 'C-07', lines }),
      z.object({ summary: z.string() }),
      [],
    )
    expect(answer.summary).toBe(
      'customer C-07: 7 lines (A-1000 open 10, A-1001 open 11, A-1002 open 12, A-1003 open 13, A-1004 open 14 and 2 more)',
    )
  })

  it('fills enums by presence, numbers, booleans and lists', async () => {
    const order = z.object({ orderNumber, total: z.number() })
    const output = z.object({
      status: z.enum(['open', 'shipped']),
      total: z.number(),
      found: z.boolean(),
      orders: z.array(order),
      note: z.string().nullable(),
    })
    const orders = [{ orderNumber: 'A-1007', total: 42.5 }]
    const messages = conversation('Which orders does C-07 have?', [
      'list_orders',
      { customerId: 'C-07' },
      JSON.stringify({ orders, state: 'all shipped' }),
    ])
    expect(await answerTo(messages, output)).toEqual({
      status: 'shipped',
      total: 42.5,
      found: true,
      orders,
      note: null,
    })
  })

  it('follows a schema about which it knows nothing', async () => {
    const output = z.object({
      code: z.string().regex(/^[A-Z]{2}-\d{3,}\.x?$/),
      day: z.iso.date(),
      id: z.uuid(),
      kind: z.enum(['a', 'b']),
      count: z.int().min(3),
      short: z.string().max(12),
      long: z.string().min(200),
      list: z.array(z.object({ x: z.boolean() })).min(2),
      either: z.discriminatedUnion('type', [
        z.object({ type: z.literal('left'), size: z.number().max(-5) }),
        z.object({ type: z.literal('right') }),
      ]),
    })
    const answer = await answerTo(conversation('?'), output, [])
    expect(answer).toMatchObject({
      code: 'AA-000.',
      kind: 'a',
      count: 3,
      list: [{ x: true }, { x: true }],
      either: { type: 'left', size: -5 },
    })
  })

  it('follows a schema that refers to itself', async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node)
      },
    })
    expect(await answerTo(conversation('?'), z.object({ tree: node }), [])).toMatchObject({
      tree: { children: [] },
    })
  })

  it('is the same each time', async () => {
    const messages = conversation('Where is A-1007?', ['order_status', { orderNumber: 'A-1007' }, status])
    const replies = await Promise.all([turn(messages), turn(messages)])
    expect(replies[0]).toEqual(replies[1])
  })
})
