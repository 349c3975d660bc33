import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Machine } from '../definition/machine.ts'
import { parseMachine } from '../definition/parse-machine.ts'
import { type Document, parseDocument } from '../document.ts'
import type { Execution } from '../interpreter/execution.ts'
import type { Transition } from '../interpreter/transition.ts'
import { createEventStore } from './event-store.ts'
import type { MachineRecord } from './machine-store.ts'
import type { Database } from './open-database.ts'
import { createThreadStore } from './thread-store.ts'

const executionRow = z
  .object({
    id: z.number(),
    arn: z.string(),
    name: z.string(),
    machine_arn: z.string(),
    role_arn: z.string(),
    definition_hash: z.string(),
    input: z.string(),
    started_ms: z.number(),
    deadline_ms: z.number().nullable(),
    event_count: z.number(),
    next_thread_id: z.number(),
    status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
    output: z.string().nullable(),
    error: z.string().nullable(),
    cause: z.string().nullable(),
    stopped_ms: z.number().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    arn: row.arn,
    name: row.name,
    machineArn: row.machine_arn,
    roleArn: row.role_arn,
    definitionHash: row.definition_hash,
    input: row.input,
    startedMs: row.started_ms,
    deadlineMs: row.deadline_ms ?? undefined,
    eventCount: row.event_count,
    nextThreadId: row.next_thread_id,
    status: row.status,
    output: row.output ?? undefined,
    error: row.error ?? undefined,
    cause: row.cause ?? undefined,
    stoppedMs: row.stopped_ms ?? undefined,
  }))
export type ExecutionRecord = z.output<typeof executionRow>

export interface NewExecution {
  readonly arn: string
  readonly name: string
  readonly machine: MachineRecord
  readonly input: Document
  readonly startedMs: number
}

export interface ExecutionStore {
  find(arn: string): ExecutionRecord | undefined
  /** Ids of those that are not over. */
  running(): number[]
  /** Stores an execution with its first event and its first thread, about to enter the first state, and answers its id. */
  create(execution: NewExecution): number
  /** A running execution, with its threads. */
  load(id: number): Execution
  /** Writes all that a transition changed, in one transaction. */
  commit(transition: Transition): void
}

export function createExecutionStore(database: Database): ExecutionStore {
  const { connection, transact } = database
  const threads = createThreadStore(database)
  const events = createEventStore(database)
  const machines = new Map<string, Machine>()
  const find = connection.prepare('SELECT * FROM execution WHERE arn = ?')
  const get = connection.prepare('SELECT * FROM execution WHERE id = ?')
  const running = connection.prepare("SELECT id FROM execution WHERE status = 'RUNNING' ORDER BY id")
  const keepDefinition = connection.prepare('INSERT OR IGNORE INTO definition VALUES (?, ?)')
  const definition = connection.prepare('SELECT text FROM definition WHERE hash = ?')
  const insert = connection.prepare(
    `INSERT INTO execution (arn, name, machine_arn, role_arn, definition_hash, input, started_ms, deadline_ms, event_count, next_thread_id, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 1, 'RUNNING')`,
  )
  const advance = connection.prepare('UPDATE execution SET event_count = ?, next_thread_id = ? WHERE id = ?')
  const end = connection.prepare(
    'UPDATE execution SET status = ?, output = ?, error = ?, cause = ?, stopped_ms = ? WHERE id = ?',
  )
  return { find: findByArn, running: () => running.all().map(({ id }) => Number(id)), create, load, commit }

  function findByArn(arn: string): ExecutionRecord | undefined {
    const row = find.get(arn)
    return row === undefined ? undefined : executionRow.parse(row)
  }

  function create({ arn, name, machine, input, startedMs }: NewExecution): number {
    const hash = createHash('sha256').update(machine.definition).digest('hex')
    let id = 0
    transact(() => {
      keepDefinition.run(hash, machine.definition)
      const { timeoutSeconds } = machineOf(hash)
      const deadlineMs = timeoutSeconds === undefined ? null : startedMs + timeoutSeconds * 1_000
      const { lastInsertRowid } = insert.run(
        arn,
        name,
        machine.arn,
        machine.roleArn,
        hash,
        input.text,
        startedMs,
        deadlineMs,
      )
      id = Number(lastInsertRowid)
      const details = { input: input.text, inputDetails: { truncated: false }, roleArn: machine.roleArn }
      events.add(id, [{ id: 1, previousEventId: 0, type: 'ExecutionStarted', timeMs: startedMs, details }])
      threads.save(id, [
        {
          id: 0,
          parentId: undefined,
          branchIndex: 0,
          stateName: machineOf(hash).startAt,
          phase: { kind: 'ready' },
          lastEventId: 0,
          enteredEventId: 0,
          enteredMs: startedMs,
          retryCounts: [],
          data: { input, variables: {} },
        },
      ])
    })
    return id
  }

  function machineOf(hash: string): Machine {
    const known = machines.get(hash)
    if (known !== undefined) return known
    const machine = parseMachine(z.object({ text: z.string() }).parse(definition.get(hash)).text)
    machines.set(hash, machine)
    return machine
  }

  function load(id: number): Execution {
    const row = executionRow.parse(get.get(id))
    return {
      id,
      arn: row.arn,
      name: row.name,
      stateMachineArn: row.machineArn,
      roleArn: row.roleArn,
      input: parseDocument(row.input),
      startedMs: row.startedMs,
      deadlineMs: row.deadlineMs,
      machine: machineOf(row.definitionHash),
      eventCount: row.eventCount,
      nextThreadId: row.nextThreadId,
      threads: new Map(threads.load(id).map((thread) => [thread.id, thread])),
      ended: undefined,
    }
  }

  function commit({ execution, events: added, changed, removed }: Transition): void {
    const { id, eventCount, nextThreadId, ended } = execution
    transact(() => {
      events.add(id, added)
      threads.save(id, changed)
      threads.remove(id, removed)
      advance.run(eventCount, nextThreadId, id)
      if (ended === undefined) return
      const { outcome, stoppedMs } = ended
      if (outcome.status === 'SUCCEEDED') end.run(outcome.status, outcome.output, null, null, stoppedMs, id)
      else end.run(outcome.status, null, outcome.error ?? null, outcome.cause ?? null, stoppedMs, id)
    })
  }
}
