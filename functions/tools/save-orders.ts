import { listArtifact, NotFound, tool } from 'turnwise'
import * as z from 'zod'
import { Order, ordersTable } from '../resources/orders-table.ts'

export const saveOrders = tool({
  name: 'save_orders',
  description: 'Save the orders of one customer as a list to work through',
  readOnly: true,
  timeoutSeconds: 30,
  input: z.object({ customerId: z.string().regex(/^C-\d{2}$/) }),
  output: z.object({ orders: listArtifact(Order) }),
  resources: { orders: ordersTable },
}).run(async ({ customerId }, { resources, artifacts }) => {
  const orders = await (await resources.orders()).ofCustomer(customerId)
  if (orders.length === 0) throw new NotFound(`No customer ${customerId} has orders`)
  return { orders: await artifacts.saveList(orders) }
})
