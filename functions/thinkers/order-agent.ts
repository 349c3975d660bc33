import { thinker } from 'turnwise'
import * as z from 'zod'
import { listOrders } from '../tools/list-orders.ts'
import { orderStatus } from '../tools/order-status.ts'
import { refundOrder } from '../tools/refund-order.ts'

export const orderAgent = thinker({
  name: 'order_agent',
  description: 'Answers a question about an order, and refunds one when asked to',
  grade: 'small',
  outputSize: 'compact',
  input: z.object({ question: z.string().min(1) }),
  output: z.object({ answer: z.string(), orderNumber: z.string().nullable() }),
  instructions:
    'Answer the question from what the tools tell you. Refund an order only when the customer asks for it. Say what you did.',
  palette: [orderStatus, listOrders, refundOrder],
})
