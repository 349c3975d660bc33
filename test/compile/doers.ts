import { doer, thinker, tool } from 'turnwise'
import * as z from 'zod'

/** Doers whose compiled machines are kept as files to read. */

const order = z.object({ orderNumber: z.string(), total: z.number(), note: z.string().optional() })

export const listOrders = tool({
  name: 'list_orders',
  description: "Lists a customer's orders",
  readOnly: true,
  input: z.object({ customerId: z.string(), city: z.string().optional() }),
  output: z.object({ orders: z.array(order), 'next-page': z.string().nullable() }),
}).run(() => ({ orders: [], 'next-page': null }))

export const refundOrder = tool({
  name: 'refund_order',
  description: 'Refunds an order',
  timeoutSeconds: 20,
  input: z.object({
    orderNumber: z.string(),
    reason: z.string(),
    tags: z.array(z.array(z.string())).optional(),
  }),
  output: z.object({ refundId: z.string(), tags: z.array(z.string()) }),
}).run(({ orderNumber }) => ({ refundId: orderNumber, tags: [] }))

export const letterWriter = thinker({
  name: 'letter_writer',
  description: 'Writes a letter',
  grade: 'small',
  outputSize: 'compact',
  input: z.object({ refunds: z.array(z.object({ refundId: z.string() })), city: z.string().optional() }),
  output: z.object({ letter: z.string() }),
  instructions: 'Write a letter about the refunds.',
  palette: [],
})

const customer = z.object({ customerId: z.string(), city: z.string().optional() })

/** One step and its result. */
export const oneStep = doer({
  name: 'one_step',
  description: 'Lists the orders of a customer',
  input: customer,
  output: z.object({ orders: z.array(order), page: z.string().nullable() }),
}).plan((d, input) => {
  const listed = d.step('list orders', listOrders, input)
  return { orders: listed.orders, page: listed['next-page'] }
})

/** A map with two steps, a tool that changes things, and a thinker. */
export const refundAll = doer({
  name: 'refund_all',
  description: 'Refunds all orders of a customer and writes a letter about it',
  input: customer,
  output: z.object({ letter: z.string(), count: z.number() }),
}).plan((d, input) => {
  const { orders } = d.step('list orders', listOrders, { customerId: input.customerId, city: input.city })
  const refunds = d.map(
    'refunds',
    orders,
    (each, index) => {
      const first = d.step('refund', refundOrder, { orderNumber: each.orderNumber, reason: 'late' })
      const second = d.step('refund the fee', refundOrder, { orderNumber: first.refundId, reason: 'fee' })
      return { refundId: second.refundId, first: first.refundId, place: index, note: each.note }
    },
    { concurrency: 5 },
  )
  const { letter } = d.step('write a letter', letterWriter, { refunds, city: input.city })
  return { letter, count: refunds.length }
})

/** No step at all, and a map without one, in one execution. */
export const noSteps = doer({
  name: 'no_steps',
  description: 'Gives numbers back',
  input: z.object({ numbers: z.array(z.string()).max(20) }),
  output: z.object({ numbers: z.array(z.object({ number: z.string() })), note: z.string() }),
}).plan((d, input) => ({
  numbers: d.map('wrap', input.numbers, (number) => ({ number })),
  note: '{% not an expression %}',
}))

/** A thinker alone. */
export const oneThinker = doer({
  name: 'one_thinker',
  description: 'Writes a letter about nothing',
  input: z.object({}),
  output: z.object({ letter: z.string() }),
}).plan((d) => d.step('write', letterWriter, { refunds: [] }))
