import { thinker } from 'turnwise'
import * as z from 'zod'

export const refundSkeptic = thinker({
  name: 'refund_skeptic',
  description: 'Looks for what speaks against a refund',
  grade: 'small',
  outputSize: 'compact',
  input: z.object({ case: z.string(), argument: z.string() }),
  output: z.object({ convinced: z.boolean(), objection: z.string() }),
  instructions: 'Say whether the argument convinces you, and if not, what speaks against it most.',
  palette: [],
})
