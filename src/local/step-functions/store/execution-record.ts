import * as z from 'zod'
import type { Starter } from '../interpreter/execution.ts'

const starter: z.ZodType<Starter> = z.object({
  executionId: z.number(),
  threadId: z.number(),
  attemptId: z.string(),
  isWaiting: z.boolean(),
})

const executionRow = z.object({
  id: z.number(),
  arn: z.string(),
  name: z.string(),
  type: z.enum(['STANDARD', 'EXPRESS']),
  is_sync: z.number(),
  machine_arn: z.string(),
  version_arn: z.string().nullable(),
  alias_arn: z.string().nullable(),
  role_arn: z.string(),
  definition_hash: z.string(),
  input: z.string(),
  started_by: z.string().nullable(),
  started_ms: z.number(),
  deadline_ms: z.number().nullable(),
  redrive_count: z.number(),
  redriven_ms: z.number().nullable(),
  event_count: z.number(),
  next_thread_id: z.number(),
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  output: z.string().nullable(),
  error: z.string().nullable(),
  cause: z.string().nullable(),
  stopped_ms: z.number().nullable(),
})

/** An execution as it is stored. */
export const executionRecord = executionRow.transform((row) => ({
  id: row.id,
  arn: row.arn,
  name: row.name,
  type: row.type,
  isSync: row.is_sync === 1,
  machineArn: row.machine_arn,
  /** The version or alias that it was started by. */
  versionArn: row.version_arn ?? undefined,
  aliasArn: row.alias_arn ?? undefined,
  roleArn: row.role_arn,
  definitionHash: row.definition_hash,
  input: row.input,
  startedBy: row.started_by === null ? undefined : starter.parse(JSON.parse(row.started_by)),
  startedMs: row.started_ms,
  deadlineMs: row.deadline_ms ?? undefined,
  redrive: row.redriven_ms === null ? undefined : { count: row.redrive_count, timeMs: row.redriven_ms },
  eventCount: row.event_count,
  nextThreadId: row.next_thread_id,
  status: row.status,
  output: row.output ?? undefined,
  error: row.error ?? undefined,
  cause: row.cause ?? undefined,
  stoppedMs: row.stopped_ms ?? undefined,
}))
export type ExecutionRecord = z.output<typeof executionRecord>

/** What came to the table of executions after its first databases were written. */
export const LATER_EXECUTION_COLUMNS = {
  type: "TEXT NOT NULL DEFAULT 'STANDARD'",
  is_sync: 'INTEGER NOT NULL DEFAULT 0',
  version_arn: 'TEXT',
  alias_arn: 'TEXT',
  started_by: 'TEXT',
  redrive_count: 'INTEGER NOT NULL DEFAULT 0',
  redriven_ms: 'INTEGER',
}
