import { doer } from 'turnwise'
import * as z from 'zod'
import { reviewWriter } from '../thinkers/review-writer.ts'
import { customerReport } from './customer-report.ts'

/** Hierarchy: the work is done by another doer, once for each customer, and put together here. */
export const customersReview = doer({
  name: 'customers_review',
  description: 'Review several customers by a report on each',
  input: z.object({
    customerIds: z
      .array(z.string().regex(/^C-\d{2}$/))
      .min(1)
      .max(20),
  }),
  output: z.object({ customers: z.number(), orders: z.number(), open: z.number(), review: z.string() }),
}).plan((d, input) => {
  const reports = d.map(
    'report on all',
    input.customerIds,
    (customerId) => d.step('report', customerReport, { customerId }),
    { concurrency: 5 },
  )
  const { orders, open } = d.code(
    'count orders',
    { reports },
    { output: z.object({ orders: z.number(), open: z.number() }), readOnly: true },
    ({ reports }) => {
      const lines = reports.flatMap((report) => report.lines)
      return { orders: lines.length, open: lines.filter(({ status }) => status === 'open').length }
    },
  )
  const summaries = d.map('summaries', reports, ({ customerId, summary }) => ({ customerId, summary }))
  const { review } = d.step('write review', reviewWriter, { orders, open, summaries })
  return { customers: reports.length, orders, open, review }
})
