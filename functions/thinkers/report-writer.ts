import { thinker } from 'turnwise'
import * as z from 'zod'

export const reportWriter = thinker({
  name: 'report_writer',
  description: 'Sums up the orders of a customer in a few sentences',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({
    customerId: z.string(),
    lines: z.array(z.object({ orderNumber: z.string(), status: z.string(), total: z.number() })),
  }),
  output: z.object({ summary: z.string() }),
  instructions:
    'Sum up these orders for the people who look after the customer: how many, how they stand, what is worth a look.',
  palette: [],
})
