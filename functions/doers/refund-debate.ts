import { add, doer, isTrue, text } from 'turnwise'
import * as z from 'zod'
import { refundAdvocate } from '../thinkers/refund-advocate.ts'
import { refundSkeptic } from '../thinkers/refund-skeptic.ts'
import { orderStatus } from '../tools/order-status.ts'

/** Debate: two argue in turns until one is convinced, at most three rounds. */
export const refundDebate = doer({
  name: 'refund_debate',
  description: 'Weigh whether an order should be refunded',
  input: z.object({ orderNumber: z.string().regex(/^A-\d{4}$/), reason: z.string().min(1) }),
  output: z.object({ refund: z.boolean(), argument: z.string(), rounds: z.number() }),
}).plan((d, input) => {
  const order = d.step('look up order', orderStatus, { orderNumber: input.orderNumber })
  const subject = text`Order ${order.orderNumber}, ${order.status}, of ${order.total}: ${input.reason}`
  const debate = d.repeat(
    'debate',
    {
      from: { convinced: false, argument: '', objection: 'Why at all?', rounds: 0 },
      until: ({ convinced }) => isTrue(convinced),
      max: 3,
    },
    ({ objection, rounds }) => {
      const { argument } = d.step('argue', refundAdvocate, { case: subject, objection })
      const reply = d.step('object', refundSkeptic, { case: subject, argument })
      return { convinced: reply.convinced, argument, objection: reply.objection, rounds: add(rounds, 1) }
    },
  )
  return { refund: debate.convinced, argument: debate.argument, rounds: debate.rounds }
})
