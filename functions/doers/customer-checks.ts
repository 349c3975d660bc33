import { doer, listArtifact } from 'turnwise'
import * as z from 'zod'
import { saveOrders } from '../tools/save-orders.ts'
import { checkEachOrder } from './check-each-order.ts'

/** A fan-out over a list that is kept as an artifact, however long. */
export const customerChecks = doer({
  name: 'customer_checks',
  description: 'Check each order of a customer as an instruction says',
  input: z.object({ customerId: z.string().regex(/^C-\d{2}$/), instruction: z.string().min(1) }),
  output: z.object({ orders: z.number(), findings: listArtifact(z.unknown()) }),
}).plan((d, input) => {
  const { orders } = d.step('save orders', saveOrders, { customerId: input.customerId })
  const { results } = d.step('check each', checkEachOrder, {
    items: orders,
    worker: 'order_checker',
    instruction: input.instruction,
  })
  return { orders: orders.size, findings: results }
})
