import { doer } from 'turnwise'
import * as z from 'zod'
import { reportWriter } from '../thinkers/report-writer.ts'
import { listOrders } from '../tools/list-orders.ts'
import { orderStatus } from '../tools/order-status.ts'

const Line = z.object({ orderNumber: z.string(), status: z.string(), total: z.number() })

export const customerReport = doer({
  name: 'customer_report',
  description: 'Report on all orders of a customer',
  input: z.object({ customerId: z.string().regex(/^C-\d{2}$/) }),
  output: z.object({ customerId: z.string(), lines: z.array(Line), summary: z.string() }),
}).plan((d, input) => {
  const { orders } = d.step('list orders', listOrders, { customerId: input.customerId })
  const lines = d.map(
    'look up all',
    orders,
    (order) => {
      const found = d.step('look up', orderStatus, { orderNumber: order.orderNumber })
      return { orderNumber: found.orderNumber, status: found.status, total: found.total }
    },
    { atMost: 200 },
  )
  const { summary } = d.step('write summary', reportWriter, { customerId: input.customerId, lines })
  return { customerId: input.customerId, lines, summary }
})
