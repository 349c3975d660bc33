import { thinker } from 'turnwise'
import * as z from 'zod'

export const reviewWriter = thinker({
  name: 'review_writer',
  description: 'Puts reports on several customers together',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({
    orders: z.number(),
    open: z.number(),
    summaries: z.array(z.object({ customerId: z.string(), summary: z.string() })),
  }),
  output: z.object({ review: z.string() }),
  instructions:
    'Put the reports on these customers together in one paragraph: who needs attention first, and why.',
  palette: [],
})
