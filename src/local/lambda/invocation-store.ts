import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { type InvocationOutcome, invocationOutcomeSchema, killed } from './invocation-outcome.ts'

/** An invocation that a function's process was given, and its end. */
export interface EndedInvocation {
  readonly requestId: string
  readonly executedVersion: string
  readonly outcome: InvocationOutcome
}

/** Invocations that their callers may ask for again, on disk until an hour after their end. */
export interface InvocationStore {
  /** To be called before a process is given the invocation. `id` is the caller's own. */
  begin(invocation: { id: string; requestId: string; executedVersion: string }): void
  end(id: string, outcome: InvocationOutcome): void
  findEnded(id: string): EndedInvocation | undefined
}

const KEPT_MS = 60 * 60_000

/** Opens the store; what a former process had begun and not ended has ended with it: killed. */
export function createInvocationStore(database: DatabaseSync, now: () => number): InvocationStore {
  const insert = database.prepare('INSERT INTO invocations (id, requestId, executedVersion) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE invocations SET outcome = ?, endedAtMs = ? WHERE id = ?')
  const select = database.prepare('SELECT * FROM invocations WHERE id = ? AND endedAtMs > ?')
  const prune = database.prepare('DELETE FROM invocations WHERE endedAtMs <= ?')
  const end = (id: string, outcome: InvocationOutcome) => update.run(JSON.stringify(outcome), now(), id)

  prune.run(now() - KEPT_MS)
  for (const row of database.prepare('SELECT id, requestId FROM invocations WHERE endedAtMs IS NULL').all()) {
    const { id, requestId } = begunSchema.parse(row)
    end(id, killed(requestId))
  }
  return {
    begin({ id, requestId, executedVersion }) {
      prune.run(now() - KEPT_MS)
      insert.run(id, requestId, executedVersion)
    },
    end,
    findEnded(id) {
      const row = select.get(id, now() - KEPT_MS)
      return row && endedSchema.parse(row)
    },
  }
}

const begunSchema = z.object({ id: z.string(), requestId: z.string() })

const endedSchema = z.object({
  requestId: z.string(),
  executedVersion: z.string(),
  outcome: z.string().transform((json) => invocationOutcomeSchema.parse(JSON.parse(json))),
})
