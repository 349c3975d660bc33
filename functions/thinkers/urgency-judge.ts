import { thinker } from 'turnwise'
import * as z from 'zod'

export const urgencyJudge = thinker({
  name: 'urgency_judge',
  description: 'Judges from one point of view whether a complaint is urgent',
  grade: 'micro',
  outputSize: 'compact',
  input: z.object({ complaint: z.string(), pointOfView: z.string() }),
  output: z.object({ urgent: z.boolean(), reason: z.string() }),
  instructions: 'Judge whether the complaint must be answered today, from the given point of view alone.',
  palette: [],
})
