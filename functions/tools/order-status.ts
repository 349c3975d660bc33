import { NotFound, tool } from 'turnwise'
import * as z from 'zod'
import { Order, ordersTable } from '../resources/orders-table.ts'

export const orderStatus = tool({
  name: 'order_status',
  description: 'Look up one order by its number: its status, its customer, the day it was promised for',
  readOnly: true,
  timeoutSeconds: 10,
  input: z.object({ orderNumber: z.string().regex(/^A-\d{4}$/) }),
  output: Order,
  resources: { orders: ordersTable },
}).run(async ({ orderNumber }, { resources }) => {
  const orders = await resources.orders()
  const order = await orders.find(orderNumber)
  if (!order) throw new NotFound(`There is no order ${orderNumber}`)
  return order
})
