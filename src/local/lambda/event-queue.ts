import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { type FunctionError, functionErrorSchema } from './invocation-outcome.ts'

/** An asynchronous event that is not settled. `attempts` counts those that began; `running`: the last has not ended. */
export interface QueuedEvent {
  readonly id: number
  readonly requestId: string
  readonly functionName: string
  /** JSON text. */
  readonly payload: string
  readonly receivedAtMs: number
  readonly dueAtMs: number
  readonly attempts: number
  readonly running: boolean
  /** Of the last attempt that ended. */
  readonly lastError: FunctionError | undefined
}

export type NewEvent = Pick<QueuedEvent, 'requestId' | 'functionName' | 'payload' | 'receivedAtMs'>

/** Asynchronous events on disk. What a method has returned from is kept when the process is killed. */
export interface EventQueue {
  add(event: NewEvent): QueuedEvent
  /** Those of the function that are not settled, oldest first. */
  list(functionName: string): readonly QueuedEvent[]
  count(): number
  begin(event: QueuedEvent): QueuedEvent
  retry(event: QueuedEvent, dueAtMs: number, lastError: FunctionError): QueuedEvent
  /** Forgets a settled event and adds what follows from it, both or neither. */
  settle(event: QueuedEvent, following?: NewEvent | undefined): QueuedEvent | undefined
  close(): void
}

export function openEventQueue(directory: string): EventQueue {
  mkdirSync(directory, { recursive: true })
  const database = new DatabaseSync(join(directory, 'events.sqlite'))
  database.exec(SCHEMA)
  const insert = database.prepare(INSERT)
  const selectOfFunction = database.prepare('SELECT * FROM events WHERE functionName = ? ORDER BY id')
  const selectCount = database.prepare('SELECT count(*) AS count FROM events')
  const markRunning = database.prepare('UPDATE events SET running = 1, attempts = attempts + 1 WHERE id = ?')
  const markDue = database.prepare('UPDATE events SET running = 0, dueAtMs = ?, lastError = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM events WHERE id = ?')

  const add = ({ requestId, functionName, payload, receivedAtMs }: NewEvent) =>
    eventSchema.parse(insert.get(requestId, functionName, payload, receivedAtMs, receivedAtMs))
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
      return { ...event, running: false, dueAtMs, lastError }
    },
    settle(event, following) {
      database.exec('BEGIN')
      remove.run(event.id)
      const followed = following && add(following)
      database.exec('COMMIT')
      return followed
    },
    close: () => database.close(),
  }
}

// WAL without a sync per write: what is written survives the death of the process, which is what a stand-in needs.
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    requestId TEXT NOT NULL,
    functionName TEXT NOT NULL,
    payload TEXT NOT NULL,
    receivedAtMs INTEGER NOT NULL,
    dueAtMs INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 0,
    lastError TEXT
  );
  CREATE INDEX IF NOT EXISTS eventsOfFunction ON events (functionName, id);
`

const INSERT = `
  INSERT INTO events (requestId, functionName, payload, receivedAtMs, dueAtMs) VALUES (?, ?, ?, ?, ?) RETURNING *
`

const eventSchema = z.object({
  id: z.number(),
  requestId: z.string(),
  functionName: z.string(),
  payload: z.string(),
  receivedAtMs: z.number(),
  dueAtMs: z.number(),
  attempts: z.number(),
  running: z.number().transform((running) => running === 1),
  lastError: z
    .string()
    .nullable()
    .transform((json) => (json === null ? undefined : functionErrorSchema.parse(JSON.parse(json)))),
})
