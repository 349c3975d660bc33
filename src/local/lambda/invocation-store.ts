import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { type InvocationOutcome, invocationOutcomeSchema, killed } from './invocation-outcome.ts'

/** An invocation that a function's process was given, and its end. */
export interface EndedInvocation {
  readonly requestId: string
  readonly executedVersion: string
  readonly outcome: InvocationOutcome
}

/** Invocations that their callers may ask for again, on disk until they are acknowledged, or for 30 days after their end. */
export interface InvocationStore {
  /** To be called before a process is given the invocation. `id` is the caller's own. */
  begin(invocation: { id: string; requestId: string; executedVersion: string }): void
  end(id: string, outcome: InvocationOutcome): void
  /** Undefined: no process was given it, or it is forgotten. */
  stateOf(id: string): 'running' | 'ended' | undefined
  findEnded(id: string): EndedInvocation | undefined
  /** Forgets those of them that have ended. */
  forget(ids: readonly string[]): void
}

const KEPT_MS = 30 * 24 * 60 * 60_000

/** Opens the store; what a former process had begun and not ended has ended with it: killed. */
export function createInvocationStore(database: DatabaseSync, now: () => number): InvocationStore {
  const insert = database.prepare('INSERT INTO invocations (id, requestId, executedVersion) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE invocations SET outcome = ?, endedAtMs = ? WHERE id = ?')
  const selectEnd = database.prepare('SELECT endedAtMs FROM invocations WHERE id = ?')
  const select = database.prepare('SELECT * FROM invocations WHERE id = ? AND endedAtMs IS NOT NULL')
  const remove = database.prepare('DELETE FROM invocations WHERE id = ? AND endedAtMs IS NOT NULL')
  const removeOld = database.prepare('DELETE FROM invocations WHERE endedAtMs <= ?')
  const prune = () => removeOld.run(now() - KEPT_MS)
  const end = (id: string, outcome: InvocationOutcome) => update.run(JSON.stringify(outcome), now(), id)

  prune()
  for (const row of database.prepare('SELECT id, requestId FROM invocations WHERE endedAtMs IS NULL').all()) {
    const { id, requestId } = begunSchema.parse(row)
    end(id, killed(requestId))
  }
  return {
    begin({ id, requestId, executedVersion }) {
      prune()
      insert.run(id, requestId, executedVersion)
    },
    end,
    stateOf(id) {
      prune()
      const row = selectEnd.get(id)
      if (row === undefined) return undefined
      return row.endedAtMs === null ? 'running' : 'ended'
    },
    findEnded(id) {
      prune()
      const row = select.get(id)
      return row && endedSchema.parse(row)
    },
    forget(ids) {
      for (const id of ids) remove.run(id)
    },
  }
}

const begunSchema = z.object({ id: z.string(), requestId: z.string() })

const endedSchema = z.object({
  requestId: z.string(),
  executedVersion: z.string(),
  outcome: z.string().transform((json) => invocationOutcomeSchema.parse(JSON.parse(json))),
})
