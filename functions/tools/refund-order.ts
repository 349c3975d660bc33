import { InvalidInput, NotFound, tool } from 'turnwise'
import * as z from 'zod'
import { ordersTable } from '../resources/orders-table.ts'

export const refundOrder = tool({
  name: 'refund_order',
  description: 'Refund one order that came late or broken, or is unwanted',
  idempotent: true,
  timeoutSeconds: 10,
  input: z.object({
    orderNumber: z.string().regex(/^A-\d{4}$/),
    reason: z.enum(['late', 'broken', 'unwanted']),
  }),
  output: z.object({ orderNumber: z.string(), refunded: z.number() }),
  resources: { orders: ordersTable },
}).run(async ({ orderNumber, reason }, { resources, idempotencyKey }) => {
  const orders = await resources.orders()
  const order = await orders.find(orderNumber)
  if (!order) throw new NotFound(`There is no order ${orderNumber}`)
  const isRefunded = await orders.refund(orderNumber, { key: idempotencyKey, reason })
  if (!isRefunded) throw new InvalidInput(`${orderNumber} has been refunded before; a refund is given once`)
  return { orderNumber, refunded: order.total }
})
