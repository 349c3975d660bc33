import { doer, text } from 'turnwise'
import * as z from 'zod'
import { letterWriter } from '../thinkers/letter-writer.ts'
import { orderStatus } from '../tools/order-status.ts'

/** Pipeline: each step works on what the one before gave. */
export const orderLetter = doer({
  name: 'order_letter',
  description: 'Write to a customer how an order stands',
  input: z.object({ orderNumber: z.string().regex(/^A-\d{4}$/) }),
  output: z.object({ customerId: z.string(), letter: z.string() }),
}).plan((d, input) => {
  const order = d.step('look up order', orderStatus, { orderNumber: input.orderNumber })
  const { letter } = d.step('write letter', letterWriter, {
    customerId: order.customerId,
    about: text`Order ${order.orderNumber} is ${order.status}.`,
  })
  return { customerId: order.customerId, letter }
})
