import { thinker } from 'turnwise'
import * as z from 'zod'
import { orderStatus } from '../tools/order-status.ts'

export const quickAnswerer = thinker({
  name: 'quick_answerer',
  description: 'Answers a question about orders, and says how sure it is',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string(), confidence: z.number().min(0).max(1) }),
  instructions: 'Answer from what the tools tell you, and say from 0 to 1 how sure you are.',
  palette: [orderStatus],
})
