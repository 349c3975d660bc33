import * as z from 'zod'
import type { HistoryEvent } from '../interpreter/history-event.ts'
import type { Database } from './open-database.ts'

const eventRow = z
  .object({
    id: z.number(),
    previous_id: z.number(),
    type: z.string(),
    time_ms: z.number(),
    details: z.string().nullable(),
  })
  .transform(
    (row): HistoryEvent => ({
      id: row.id,
      previousEventId: row.previous_id,
      type: row.type,
      timeMs: row.time_ms,
      details:
        row.details === null ? undefined : z.record(z.string(), z.unknown()).parse(JSON.parse(row.details)),
    }),
  )

export interface EventStore {
  /** Within a transaction. */
  add(executionId: number, events: Iterable<HistoryEvent>): void
  /** From the given id on, upwards or downwards. */
  page(
    executionId: number,
    fromId: number,
    limit: number,
    direction: 'oldest-first' | 'newest-first',
  ): HistoryEvent[]
}

export function createEventStore({ connection }: Database): EventStore {
  const add = connection.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)')
  const upwards = connection.prepare(
    'SELECT * FROM event WHERE execution_id = ? AND id >= ? ORDER BY id LIMIT ?',
  )
  const downwards = connection.prepare(
    'SELECT * FROM event WHERE execution_id = ? AND id <= ? ORDER BY id DESC LIMIT ?',
  )
  return {
    add(executionId, events) {
      for (const { id, previousEventId, type, timeMs, details } of events)
        add.run(
          executionId,
          id,
          previousEventId,
          type,
          timeMs,
          details === undefined ? null : JSON.stringify(details),
        )
    },
    page(executionId, fromId, limit, direction) {
      const statement = direction === 'oldest-first' ? upwards : downwards
      return statement.all(executionId, fromId, limit).map((row) => eventRow.parse(row))
    },
  }
}
