import { thinker } from 'turnwise'
import * as z from 'zod'

export const questionSorter = thinker({
  name: 'question_sorter',
  description: 'Says what a question is about, and which order it names',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({ question: z.string() }),
  output: z.object({ topic: z.enum(['status', 'refund', 'other']), orderNumber: z.string().nullable() }),
  instructions: 'Say what the question is about. An order number looks like A-1007; null if none is named.',
  palette: [],
})
