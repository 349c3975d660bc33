import { doer, orElse, text } from 'turnwise'
import * as z from 'zod'
import { orderAgent } from '../thinkers/order-agent.ts'
import { questionSorter } from '../thinkers/question-sorter.ts'
import { orderStatus } from '../tools/order-status.ts'

/** Router: a question goes to whoever is for its topic, and costs no more than that. */
export const questionDesk = doer({
  name: 'question_desk',
  description: 'Answer a question about an order by the cheapest way',
  input: z.object({ question: z.string().min(1) }),
  output: z.object({ topic: z.enum(['status', 'refund', 'other']), answer: z.string() }),
}).plan((d, input) => {
  const sorted = d.step('sort question', questionSorter, { question: input.question })
  const answer = d.match('by topic', sorted.topic, {
    status: () =>
      d.recover(
        'known order',
        () => {
          const order = d.step('look up order', orderStatus, {
            orderNumber: orElse(sorted.orderNumber, 'none'),
          })
          return text`Order ${order.orderNumber} is ${order.status}.`
        },
        {
          on: ['NotFound', 'InvalidInput'],
          with: () => 'Which order do you mean? We find none of that number.',
        },
      ),
    refund: () => d.step('ask order agent', orderAgent, { question: input.question }).answer,
    other: () => 'We can tell how an order stands, and refund it.',
  })
  return { topic: sorted.topic, answer }
})
