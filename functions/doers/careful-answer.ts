import { doer, gte } from 'turnwise'
import * as z from 'zod'
import { orderAgent } from '../thinkers/order-agent.ts'
import { quickAnswerer } from '../thinkers/quick-answerer.ts'

/** Escalation: the cheap one answers, and the better one only where the cheap one is not sure, or failed. */
export const carefulAnswer = doer({
  name: 'careful_answer',
  description: 'Answer a question, by a better agent where the first is not sure',
  input: z.object({ question: z.string().min(1) }),
  output: z.object({ answer: z.string(), by: z.enum(['quick', 'careful']) }),
}).plan((d, input) => {
  const quick = d.recover(
    'quick try',
    () => d.step('answer quickly', quickAnswerer, { question: input.question }),
    {
      on: ['Internal', 'Timeout', 'Throttled'],
      with: () => ({ answer: '', confidence: 0 }),
    },
  )
  return d.choose(
    'sure enough',
    gte(quick.confidence, 0.7),
    () => ({ answer: quick.answer, by: 'quick' }),
    () => ({
      answer: d.step('answer carefully', orderAgent, { question: input.question }).answer,
      by: 'careful',
    }),
  )
})
