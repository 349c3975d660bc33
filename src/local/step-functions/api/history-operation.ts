import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { detailsKey, type HistoryEvent } from '../interpreter/history-event.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../limits.ts'
import type { EventStore } from '../store/event-store.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import { fromPageToken, type Operation, operation, toPageToken, toSeconds } from './operation.ts'
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
        maxResults: z.int().min(0).max(MAXIMUM_PAGE_SIZE).optional(),
        reverseOrder: z.boolean().default(false),
        nextToken: z.string().optional(),
        includeExecutionData: z.boolean().default(true),
      }),
      ({ executionArn, maxResults, reverseOrder, nextToken, includeExecutionData }) => {
        const execution = requireExecution(executions, executionArn)
        const limit = maxResults || DEFAULT_PAGE_SIZE
        const fromId =
          nextToken === undefined ? firstId(execution.eventCount, reverseOrder) : parseToken(nextToken)
        const direction = reverseOrder ? 'newest-first' : 'oldest-first'
        const found = events.page(execution.id, fromId, limit + 1, direction)
        const next = found[limit]
        return {
          events: found.slice(0, limit).map((event) => toApi(event, includeExecutionData)),
          ...(next === undefined ? {} : { nextToken: toPageToken(String(next.id)) }),
        }
      },
    ),
  }
}

function firstId(eventCount: number, reverseOrder: boolean): number {
  return reverseOrder ? eventCount : 1
}

function parseToken(token: string): number {
  const id = Number(fromPageToken(token))
  if (!Number.isInteger(id) || id < 1) throw new ApiError('InvalidToken', `Invalid Token: '${token}'`)
  return id
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
