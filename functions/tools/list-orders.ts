import { NotFound, tool } from 'turnwise'
import * as z from 'zod'
import { Order, ordersTable } from '../resources/orders-table.ts'

export const listOrders = tool({
  name: 'list_orders',
  description: 'List the orders of one customer by the number of the customer',
  readOnly: true,
  timeoutSeconds: 10,
  input: z.object({ customerId: z.string().regex(/^C-\d{2}$/) }),
  output: z.object({ orders: z.array(Order) }),
  resources: { orders: ordersTable },
}).run(async ({ customerId }, { resources }) => {
  const orders = await (await resources.orders()).ofCustomer(customerId)
  if (orders.length === 0) throw new NotFound(`No customer ${customerId} has orders`)
  return { orders }
})
