import { thinker } from 'turnwise'
import * as z from 'zod'

export const letterWriter = thinker({
  name: 'letter_writer',
  description: 'Writes a short letter to a customer about an order',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({ customerId: z.string(), about: z.string() }),
  output: z.object({ letter: z.string() }),
  instructions: 'Write a short, friendly letter to the customer. Say nothing that you were not told.',
  palette: [],
})
