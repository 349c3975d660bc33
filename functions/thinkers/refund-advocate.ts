import { thinker } from 'turnwise'
import * as z from 'zod'

export const refundAdvocate = thinker({
  name: 'refund_advocate',
  description: 'Argues for a refund, against an objection',
  grade: 'small',
  outputSize: 'compact',
  input: z.object({ case: z.string(), objection: z.string() }),
  output: z.object({ argument: z.string() }),
  instructions: 'Give the best honest argument for the refund. Answer the objection; do not repeat yourself.',
  palette: [],
})
