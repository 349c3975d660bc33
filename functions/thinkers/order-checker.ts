import { thinker } from 'turnwise'
import * as z from 'zod'
import { Order } from '../resources/orders-table.ts'

export const orderChecker = thinker({
  name: 'order_checker',
  description: 'Checks one order as it is told',
  grade: 'micro',
  outputSize: 'verdict',
  input: z.object({ instruction: z.string(), item: Order }),
  output: z.object({ orderNumber: z.string(), finding: z.string() }),
  instructions:
    'Do what the instruction says with this order, and give its number and what you found in one sentence.',
  palette: [],
})
