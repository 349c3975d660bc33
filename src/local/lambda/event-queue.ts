import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { type FunctionError, functionErrorSchema } from './invocation-outcome.ts'

/**
 * An asynchronous event that is not settled. `attempts` counts those that began, `failures` those that ended with the
 * function's error; `running`: the last has not ended.
 */
export interface QueuedEvent {
  readonly id: number
  readonly requestId: string
  readonly functionName: string
  /** The version or alias that it was sent to; undefined: none was named. */
  readonly qualifier: string | undefined
  /** JSON text. */
  readonly payload: string
  /** The request's `X-Amzn-Trace-Id`. */
  readonly trace: string | undefined
  readonly receivedAtMs: number
  readonly dueAtMs: number
  readonly attempts: number
  readonly failures: number
  /** How often Lambda itself could not run it, as for concurrency. */
  readonly putBacks: number
  readonly running: boolean
  /** Of the last attempt that ended. */
  readonly lastError: FunctionError | undefined
}

export type NewEvent = Pick<
  QueuedEvent,
  'requestId' | 'functionName' | 'qualifier' | 'payload' | 'trace' | 'receivedAtMs'
>

/** Asynchronous events on disk. What a method has returned from is kept when the process is killed. */
export interface EventQueue {
  add(event: NewEvent): QueuedEvent
  /** Those of the function that are not settled, oldest first. */
  list(functionName: string): readonly QueuedEvent[]
  count(): number
  begin(event: QueuedEvent): QueuedEvent
  /** After an attempt that failed. */
  retry(event: QueuedEvent, dueAtMs: number, lastError: FunctionError): QueuedEvent
  /** After an attempt that is not the function's fault. */
  putBack(event: QueuedEvent, dueAtMs: number): QueuedEvent
  /** Forgets a settled event and adds what follows from it, both or neither. */
  settle(event: QueuedEvent, following?: NewEvent | undefined): QueuedEvent | undefined
}

export function createEventQueue(database: DatabaseSync): EventQueue {
  const insert = database.prepare(INSERT)
  const selectOfFunction = database.prepare('SELECT * FROM events WHERE functionName = ? ORDER BY id')
  const selectCount = database.prepare('SELECT count(*) AS count FROM events')
  const markRunning = database.prepare('UPDATE events SET running = 1, attempts = attempts + 1 WHERE id = ?')
  const markDue = database.prepare(
    'UPDATE events SET running = 0, failures = failures + 1, dueAtMs = ?, lastError = ? WHERE id = ?',
  )
  const markPutBack = database.prepare(
    'UPDATE events SET running = 0, dueAtMs = ?, putBacks = putBacks + 1 WHERE id = ?',
  )
  const remove = database.prepare('DELETE FROM events WHERE id = ?')

  const add = ({ requestId, functionName, qualifier, payload, trace, receivedAtMs }: NewEvent) =>
    eventSchema.parse(
      insert.get(
        requestId,
        functionName,
        qualifier ?? null,
        payload,
        trace ?? null,
        receivedAtMs,
        receivedAtMs,
      ),
    )
  return {
    add,
    list: (functionName) => selectOfFunction.all(functionName).map((row) => eventSchema.parse(row)),
    count: () => z.object({ count: z.number() }).parse(selectCount.get()).count,
    begin(event) {
      markRunning.run(event.id)
      return { ...event, running: true, attempts: event.attempts + 1 }
    },
    retry(event, dueAtMs, lastError) {
      markDue.run(dueAtMs, JSON.stringify(lastError), event.id)
      return { ...event, running: false, failures: event.failures + 1, dueAtMs, lastError }
    },
    putBack(event, dueAtMs) {
      markPutBack.run(dueAtMs, event.id)
      return { ...event, running: false, dueAtMs, putBacks: event.putBacks + 1 }
    },
    settle(event, following) {
      database.exec('BEGIN')
      try {
        remove.run(event.id)
        const followed = following && add(following)
        database.exec('COMMIT')
        return followed
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}

const INSERT = `
  INSERT INTO events (requestId, functionName, qualifier, payload, trace, receivedAtMs, dueAtMs)
  VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *
`

const optionalTextSchema = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined)

const eventSchema = z.object({
  id: z.number(),
  requestId: z.string(),
  functionName: z.string(),
  qualifier: optionalTextSchema,
  payload: z.string(),
  trace: optionalTextSchema,
  receivedAtMs: z.number(),
  dueAtMs: z.number(),
  attempts: z.number(),
  failures: z.number(),
  putBacks: z.number(),
  running: z.number().transform((running) => running === 1),
  lastError: z
    .string()
    .nullable()
    .transform((json) => (json === null ? undefined : functionErrorSchema.parse(JSON.parse(json)))),
})
