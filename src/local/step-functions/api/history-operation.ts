import * as z from 'zod'
import { detailsKey, type HistoryEvent } from '../interpreter/history-event.ts'
import type { EventStore } from '../store/event-store.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { pageRequest, readPage } from './pages.ts'
import { requireExecution } from './require-execution.ts'

/** What `includeExecutionData: false` leaves out. */
const EXECUTION_DATA = [
  'input',
  'inputDetails',
  'output',
  'outputDetails',
  'parameters',
  'assignedVariables',
  'assignedVariablesDetails',
]

/** GetExecutionHistory, in pages, in both directions. */
export function createHistoryOperation(
  executions: ExecutionStore,
  events: EventStore,
): Record<string, Operation> {
  return {
    GetExecutionHistory: operation(
      z.object({
        executionArn: z.string(),
        reverseOrder: z.boolean().default(false),
        includeExecutionData: z.boolean().default(true),
        ...pageRequest,
      }),
      (request) => {
        const { executionArn, reverseOrder, includeExecutionData } = request
        const { id, eventCount } = requireExecution(executions, executionArn)
        const { items, next } = readPage(
          `${executionArn} ${reverseOrder}`,
          request,
          (afterKey, limit) =>
            reverseOrder
              ? events.page(id, Number(afterKey ?? eventCount + 1) - 1, limit, 'newest-first')
              : events.page(id, Number(afterKey ?? 0) + 1, limit, 'oldest-first'),
          (event) => String(event.id),
        )
        return { events: items.map((event) => toApi(event, includeExecutionData)), ...next }
      },
    ),
  }
}

function toApi(
  { id, previousEventId, type, timeMs, details }: HistoryEvent,
  includeExecutionData: boolean,
): unknown {
  const event = { id, previousEventId, type, timestamp: toSeconds(timeMs) }
  if (details === undefined) return event
  const shown = Object.entries(details).filter(
    ([name]) => includeExecutionData || !EXECUTION_DATA.includes(name),
  )
  return { ...event, [detailsKey(type)]: Object.fromEntries(shown) }
}
