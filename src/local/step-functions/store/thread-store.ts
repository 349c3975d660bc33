import * as z from 'zod'
import { type Document, parseDocument } from '../document.ts'
import type { Thread, ThreadData } from '../interpreter/execution.ts'
import type { Database } from './open-database.ts'

const threadRow = z.object({
  id: z.number(),
  parent_id: z.number().nullable(),
  branch_index: z.number(),
  control: z.string(),
  input: z.string(),
  variables: z.string(),
  items: z.string().nullable(),
  result: z.string().nullable(),
})
type Control = Pick<
  Thread,
  'isQuiet' | 'stateName' | 'phase' | 'lastEventId' | 'enteredEventId' | 'enteredMs' | 'retryCounts'
>

export interface ThreadStore {
  /** Within a transaction. Data is written only when it was replaced: a Map of a thousand items does not write them a thousand times. */
  save(executionId: number, threads: Iterable<Thread>): void
  /** Within a transaction. */
  remove(executionId: number, threads: Iterable<Thread>): void
  /** Within a transaction: all of an execution's. */
  forget(executionId: number): void
  load(executionId: number): Thread[]
}

export function createThreadStore({ connection }: Database): ThreadStore {
  const saved = new WeakMap<Thread, ThreadData>()
  const saveWhole = connection.prepare('INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const saveControl = connection.prepare('UPDATE thread SET control = ? WHERE execution_id = ? AND id = ?')
  const remove = connection.prepare('DELETE FROM thread WHERE execution_id = ? AND id = ?')
  const forget = connection.prepare('DELETE FROM thread WHERE execution_id = ?')
  const load = connection.prepare('SELECT * FROM thread WHERE execution_id = ? ORDER BY id')
  return {
    save(executionId, threads) {
      for (const thread of threads) {
        const control = controlText(thread)
        if (saved.get(thread) === thread.data) saveControl.run(control, executionId, thread.id)
        else {
          const { id, parentId, branchIndex, data } = thread
          saveWhole.run(executionId, id, parentId ?? null, branchIndex, control, ...dataColumns(data))
          saved.set(thread, data)
        }
      }
    },
    remove(executionId, threads) {
      for (const { id } of threads) remove.run(executionId, id)
    },
    forget(executionId) {
      forget.run(executionId)
    },
    load: (executionId) =>
      load.all(executionId).map((row) => {
        const thread = toThread(threadRow.parse(row))
        saved.set(thread, thread.data)
        return thread
      }),
  }
}

/** `{"isQuiet":false,"stateName":"look up","phase":{"kind":"ready"},"lastEventId":6,"enteredEventId":3,"enteredMs":1767225600000,"retryCounts":[]}` */
function controlText({
  isQuiet,
  stateName,
  phase,
  lastEventId,
  enteredEventId,
  enteredMs,
  retryCounts,
}: Thread): string {
  const control: Control = { isQuiet, stateName, phase, lastEventId, enteredEventId, enteredMs, retryCounts }
  return JSON.stringify(control)
}

function dataColumns({
  input,
  variables,
  items,
  result,
}: ThreadData): [string, string, string | null, string | null] {
  return [
    input.text,
    JSON.stringify(variables),
    items === undefined ? null : JSON.stringify(items),
    result?.text ?? null,
  ]
}

function toThread(row: z.output<typeof threadRow>): Thread {
  const control = JSON.parse(row.control) as Control // only `controlText` writes this column
  const result: Document | undefined = row.result === null ? undefined : parseDocument(row.result)
  return {
    id: row.id,
    parentId: row.parent_id ?? undefined,
    branchIndex: row.branch_index,
    ...control,
    data: {
      input: parseDocument(row.input),
      variables: JSON.parse(row.variables) as Record<string, unknown>, // only `dataColumns` writes these
      ...(row.items === null ? {} : { items: JSON.parse(row.items) as unknown[] }),
      ...(result === undefined ? {} : { result }),
    },
  }
}
