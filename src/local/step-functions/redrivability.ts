import { MAXIMUM_HISTORY_EVENTS, REDRIVABLE_MS } from './limits.ts'
import type { ExecutionRecord } from './store/execution-record.ts'

/** Whether an execution can be redriven, `ageMs` after it ended, in the members of DescribeExecution. */
export function redrivability(
  status: ExecutionRecord['status'],
  eventCount: number,
  ageMs = 0,
): { readonly redriveStatus: string; readonly redriveStatusReason?: string } {
  const refuse = (redriveStatusReason: string) => ({ redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason })
  if (status === 'RUNNING' || status === 'SUCCEEDED')
    return refuse(`Execution is ${status} and cannot be redriven`)
  if (ageMs > REDRIVABLE_MS) return refuse('Execution has exceeded the redrivable period of 14 days')
  // Room for the event of the redrive, and for the one that ends the execution.
  if (eventCount > MAXIMUM_HISTORY_EVENTS - 2)
    return refuse(`Execution history event limit exceeded: ${MAXIMUM_HISTORY_EVENTS}`)
  return { redriveStatus: 'REDRIVABLE' }
}
