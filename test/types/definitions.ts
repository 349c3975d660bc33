/** Compiled by `tsc`, never run: each `@ts-expect-error` is a mistake that the types refuse. */
import { doer, type InputOf, listArtifact, type OutputOf, type Ref, thinker, tool } from 'turnwise'
import * as z from 'zod'

const orderStatus = tool({
  name: 'order_status',
  description: 'Look up one order',
  input: z.object({ orderNumber: z.string(), detail: z.boolean().optional() }),
  output: z.object({ status: z.enum(['open', 'shipped']), note: z.string().optional() }),
}).run(({ orderNumber }) => ({ status: orderNumber === '' ? 'open' : 'shipped' }))

const listOrders = tool({
  name: 'list_orders',
  description: 'List orders',
  input: z.object({ customerId: z.string(), limit: z.number().default(10) }),
  output: z.object({ orders: z.array(z.object({ orderNumber: z.string(), total: z.number() })) }),
}).run(({ limit }) => ({ orders: [{ orderNumber: 'A-1', total: limit }] }))

const agent = {
  name: 'agent',
  description: 'An agent',
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string() }),
  instructions: 'Answer.',
  palette: [],
} as const

// A tool's output is checked, and its literals do not widen.
const declaration = {
  name: 't',
  description: 'd',
  input: z.object({}),
  output: z.object({ kind: z.enum(['a']) }),
}
tool(declaration).run(() => ({ kind: 'a' }))
// @ts-expect-error: "b" is not of the enum
tool(declaration).run(() => ({ kind: 'b' }))
// @ts-expect-error: the output lacks `kind`
tool(declaration).run(async () => ({}))
// @ts-expect-error: the input of a tool is an object
tool({ ...declaration, input: z.string() })

// What a thinker declares.
thinker({ ...agent, grade: 'small', outputSize: 'compact' })
thinker({ ...agent, grade: 'small', outputSize: { tokens: 700 } })
// @ts-expect-error: without a grade
thinker({ ...agent, outputSize: 'compact' })
// @ts-expect-error: without an output size
thinker({ ...agent, grade: 'small' })
// @ts-expect-error: no such grade
thinker({ ...agent, grade: 'tiny', outputSize: 'compact' })
// @ts-expect-error: an orchestrator has no timeout
thinker({ ...agent, grade: 'small', outputSize: 'compact', timeoutSeconds: 60 })

// A palette takes any callable: tools, thinkers and doers of any types.
const answerer = thinker({
  ...agent,
  grade: 'small',
  outputSize: 'compact',
  palette: [orderStatus, listOrders],
})
const empty = doer({ name: 'empty', description: 'd', input: z.object({}), output: z.null() }).plan(
  () => null,
)
thinker({ ...agent, grade: 'small', outputSize: 'compact', palette: [answerer, empty, orderStatus] })
// @ts-expect-error: a name is not a callable
thinker({ ...agent, grade: 'small', outputSize: 'compact', palette: ['order_status'] })

// The phantom carries what a caller gives and gets.
const given: InputOf<typeof listOrders> = { customerId: 'C-1' }
const got: OutputOf<typeof orderStatus> = { status: 'open' }
void [given, got]

const report = {
  name: 'report',
  description: 'd',
  input: z.object({
    customerId: z.string(),
    urgent: z.boolean().default(false),
    note: z.string().optional(),
  }),
  output: z.object({ lines: z.array(z.object({ status: z.enum(['open', 'shipped']) })), count: z.number() }),
} as const
// @ts-expect-error: an orchestrator has no timeout
doer({ ...report, timeoutSeconds: 60 })

doer(report).plan((d, input) => {
  const { orders } = d.step('list', listOrders, { customerId: input.customerId })
  const lines = d.map('statuses', orders, (order) => ({
    status: d.step('look up', orderStatus, { orderNumber: order.orderNumber, detail: input.urgent }).status,
  }))
  d.step('ask', answerer, { question: 'written out' })

  // @ts-expect-error: the input has no such field
  d.step('a', listOrders, { customerId: input.customer })
  // @ts-expect-error: the order has no such field
  d.map('b', orders, (order) => d.step('c', orderStatus, { orderNumber: order.id }))
  // @ts-expect-error: a number where text is wanted
  d.map('d', orders, (order) => d.step('e', orderStatus, { orderNumber: order.total }))
  // @ts-expect-error: a required field is missing
  d.step('f', listOrders, {})
  // @ts-expect-error: a field that the tool does not know
  d.step('g', listOrders, { customerId: 'C-1', colour: 'red' })
  // @ts-expect-error: may be absent, and the tool wants one
  d.step('h', listOrders, { customerId: input.note })
  // @ts-expect-error: not a list
  d.map('i', input.customerId, (item) => item)
  // @ts-expect-error: a list has no fields of its items
  void orders.orderNumber
  // @ts-expect-error: references know no arithmetic
  void (orders.length + 1)
  // @ts-expect-error: references are not iterated
  for (const order of orders) void order
  return { lines, count: orders.length }
})

// @ts-expect-error: the result lacks `count`
doer(report).plan((d, input) => ({
  lines: d.map('l', d.step('s', listOrders, input).orders, () => ({ status: 'open' })),
}))
// @ts-expect-error: a plan is not async
doer(report).plan(async () => ({ lines: [], count: 0 }))
// @ts-expect-error: "lost" is not of the enum
doer(report).plan(() => ({ lines: [{ status: 'lost' }], count: 0 }))
// Values may be written out, at any depth.
doer(report).plan((_d, input) => ({ lines: [{ status: 'open' }], count: 0, note: input.note }) as const)

// A list artifact carries the type of its items, from the schema to whoever reads it.
const Order = z.object({ orderNumber: z.string(), total: z.number().default(0) })
const exportOrders = tool({
  name: 'export_orders',
  description: 'd',
  input: z.object({}),
  output: z.object({ orders: listArtifact(Order) }),
}).run(async (_, { artifacts }) => ({
  orders: await artifacts.saveList([{ orderNumber: 'A-1', total: 1, more: true }]),
}))
const sumOrders = tool({
  name: 'sum_orders',
  description: 'd',
  input: z.object({ orders: listArtifact(Order), rest: listArtifact(Order).optional() }),
  output: z.object({ sum: z.number() }),
}).run(async ({ orders, rest }, { artifacts }) => {
  let sum: number = (await artifacts.readItem(orders, 0)).total
  for await (const order of artifacts.readList(orders)) {
    sum += order.total
    // @ts-expect-error: an order has no such field
    void order.status
  }
  // @ts-expect-error: may be absent
  artifacts.readList(rest)
  // @ts-expect-error: a list of other items
  const numbers: AsyncIterable<number> = artifacts.readList(orders)
  void numbers
  return { sum }
})
const listOf = { ...declaration, output: z.object({ orders: listArtifact(Order) }) }
// @ts-expect-error: items that are no orders
tool(listOf).run(async (_, { artifacts }) => ({ orders: await artifacts.saveList([{ orderNumber: 1 }]) }))
// @ts-expect-error: the list itself is no reference to one
tool(listOf).run(() => ({ orders: [{ orderNumber: 'A-1', total: 1 }] }))
// @ts-expect-error: nor is what looks like one; only saveList and schemas make references
tool(listOf).run(() => ({ orders: { artifact: '0'.repeat(32), size: 1 } }))

doer({ ...report, output: z.object({ sum: z.number() }) }).plan((d) => {
  const { orders } = d.step('export', exportOrders, {})
  const size: Ref<number> = orders.size
  void size
  // @ts-expect-error: a reference to a list has no fields of its items
  void orders.orderNumber
  // @ts-expect-error: not what the tool takes
  d.step('wrong', sumOrders, { orders: orders.size })
  return d.step('sum', sumOrders, { orders })
})
