import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Machine, MachineType } from '../definition/machine.ts'
import { parseMachine } from '../definition/parse-machine.ts'
import { type Document, parseDocument } from '../document.ts'
import type { Execution, Starter } from '../interpreter/execution.ts'
import type { Transition } from '../interpreter/transition.ts'
import { MAXIMUM_EXPRESS_SECONDS } from '../limits.ts'
import { createEventStore } from './event-store.ts'
import { type ExecutionRecord, executionRecord } from './execution-record.ts'
import type { Database } from './open-database.ts'
import { createThreadStore } from './thread-store.ts'

export interface NewExecution {
  readonly arn: string
  readonly name: string
  readonly type: MachineType
  readonly isSync: boolean
  readonly machineArn: string
  readonly versionArn: string | undefined
  readonly aliasArn: string | undefined
  readonly definition: string
  readonly roleArn: string
  readonly input: Document
  readonly startedBy: Starter | undefined
  readonly startedMs: number
}

/** What is left out is not looked at. */
export interface ExecutionFilter {
  readonly machineArn: string
  readonly versionArn?: string
  readonly aliasArn?: string
  readonly status?: ExecutionRecord['status']
  readonly isRedriven?: boolean
}

export interface ExecutionStore {
  find(arn: string): ExecutionRecord | undefined
  get(id: number): ExecutionRecord | undefined
  /** One that is there. */
  require(id: number): ExecutionRecord
  /** Newest first, those whose ids are below the given one. */
  list(filter: ExecutionFilter, belowId: number, limit: number): ExecutionRecord[]
  /** Ids of those that are not over. */
  running(): number[]
  /** The text that an execution runs by. */
  definitionOf(execution: ExecutionRecord): string
  /** Stores an execution with its first event and its first thread, about to enter the first state, and answers its id. */
  create(execution: NewExecution): number
  /** A running execution, with its threads. */
  load(id: number): Execution
  /**
   * Writes all that a transition changed, in one transaction. Of an execution that ends without success the threads stay as they were
   * before, for a redrive to go on from. An express one has no events, and is forgotten when it ends.
   */
  commit(transition: Transition): void
  /** Makes an execution that ended without success run again, and commits what `proceed` makes of it, both or neither. */
  reopen(id: number, redrivenMs: number, proceed: (execution: Execution) => Transition): void
}

export function createExecutionStore(database: Database): ExecutionStore {
  const { connection, transact } = database
  const threads = createThreadStore(database)
  const events = createEventStore(database)
  const machines = new Map<string, Machine>()
  const findRow = connection.prepare('SELECT * FROM execution WHERE arn = ?')
  const getRow = connection.prepare('SELECT * FROM execution WHERE id = ?')
  const running = connection.prepare("SELECT id FROM execution WHERE status = 'RUNNING' ORDER BY id")
  const list = connection.prepare(
    `SELECT * FROM execution WHERE machine_arn = :machineArn AND id < :belowId
       AND (:versionArn IS NULL OR version_arn = :versionArn) AND (:aliasArn IS NULL OR alias_arn = :aliasArn)
       AND (:status IS NULL OR status = :status) AND (:redriven IS NULL OR (redrive_count > 0) = :redriven)
     ORDER BY id DESC LIMIT :limit`,
  )
  const keepDefinition = connection.prepare('INSERT OR IGNORE INTO definition VALUES (?, ?)')
  const definition = connection.prepare('SELECT text FROM definition WHERE hash = ?')
  const insert = connection.prepare(
    `INSERT INTO execution (arn, name, type, is_sync, machine_arn, version_arn, alias_arn, role_arn, definition_hash, input, started_by, started_ms,
       deadline_ms, event_count, next_thread_id, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, 'RUNNING')`,
  )
  const advance = connection.prepare('UPDATE execution SET event_count = ?, next_thread_id = ? WHERE id = ?')
  const end = connection.prepare(
    'UPDATE execution SET status = ?, output = ?, error = ?, cause = ?, stopped_ms = ? WHERE id = ?',
  )
  const forget = connection.prepare('DELETE FROM execution WHERE id = ?')
  const reopen = connection.prepare(
    `UPDATE execution SET status = 'RUNNING', output = NULL, error = NULL, cause = NULL, stopped_ms = NULL, deadline_ms = ?,
       redrive_count = redrive_count + 1, redriven_ms = ? WHERE id = ?`,
  )
  return {
    find: (arn) => toRecord(findRow.get(arn)),
    get: (id) => toRecord(getRow.get(id)),
    require: (id) => executionRecord.parse(getRow.get(id)),
    list({ machineArn, versionArn = null, aliasArn = null, status = null, isRedriven }, belowId, limit) {
      const redriven = isRedriven === undefined ? null : Number(isRedriven)
      return list
        .all({ machineArn, versionArn, aliasArn, status, redriven, belowId, limit })
        .map((row) => executionRecord.parse(row))
    },
    running: () => running.all().map(({ id }) => Number(id)),
    definitionOf: ({ definitionHash }) => definitionText(definitionHash),
    create,
    load,
    commit,
    reopen(id, redrivenMs, proceed) {
      transact(() => {
        const { definitionHash } = executionRecord.parse(getRow.get(id))
        reopen.run(deadlineMs(machineOf(definitionHash), 'STANDARD', redrivenMs), redrivenMs, id)
        commit(proceed(load(id)))
      })
    },
  }

  function create(execution: NewExecution): number {
    const { arn, name, type, machineArn, roleArn, input, startedMs } = execution
    const hash = createHash('sha256').update(execution.definition).digest('hex')
    let id = 0
    transact(() => {
      keepDefinition.run(hash, execution.definition)
      const machine = machineOf(hash)
      const { lastInsertRowid } = insert.run(
        arn,
        name,
        type,
        Number(execution.isSync),
        machineArn,
        execution.versionArn ?? null,
        execution.aliasArn ?? null,
        roleArn,
        hash,
        input.text,
        execution.startedBy === undefined ? null : JSON.stringify(execution.startedBy),
        startedMs,
        deadlineMs(machine, type, startedMs),
      )
      id = Number(lastInsertRowid)
      const details = {
        input: input.text,
        inputDetails: { truncated: false },
        roleArn,
        ...(execution.versionArn === undefined ? {} : { stateMachineVersionArn: execution.versionArn }),
        ...(execution.aliasArn === undefined ? {} : { stateMachineAliasArn: execution.aliasArn }),
      }
      if (type === 'STANDARD')
        events.add(id, [{ id: 1, previousEventId: 0, type: 'ExecutionStarted', timeMs: startedMs, details }])
      threads.save(id, [
        {
          id: 0,
          parentId: undefined,
          branchIndex: 0,
          isQuiet: false,
          stateName: machine.startAt,
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
    const machine = parseMachine(definitionText(hash))
    machines.set(hash, machine)
    return machine
  }

  function definitionText(hash: string): string {
    return z.object({ text: z.string() }).parse(definition.get(hash)).text
  }

  function load(id: number): Execution {
    const row = executionRecord.parse(getRow.get(id))
    return {
      id,
      arn: row.arn,
      name: row.name,
      type: row.type,
      isSync: row.isSync,
      stateMachineArn: row.machineArn,
      versionArn: row.versionArn,
      aliasArn: row.aliasArn,
      roleArn: row.roleArn,
      input: parseDocument(row.input),
      startedMs: row.startedMs,
      deadlineMs: row.deadlineMs,
      redrive: row.redrive,
      startedBy: row.startedBy,
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
      if (ended !== undefined && execution.type === 'EXPRESS') {
        threads.forget(id)
        forget.run(id)
        return
      }
      if (execution.type === 'STANDARD') events.add(id, added)
      advance.run(eventCount, nextThreadId, id)
      if (ended === undefined || ended.outcome.status === 'SUCCEEDED') {
        threads.save(id, changed)
        threads.remove(id, removed)
      }
      if (ended === undefined) return
      const { outcome, stoppedMs } = ended
      if (outcome.status === 'SUCCEEDED') end.run(outcome.status, outcome.output, null, null, stoppedMs, id)
      else end.run(outcome.status, null, outcome.error ?? null, outcome.cause ?? null, stoppedMs, id)
    })
  }
}

function toRecord(row: unknown): ExecutionRecord | undefined {
  return row === undefined ? undefined : executionRecord.parse(row)
}

/** When TimeoutSeconds is over; an express execution has five minutes at most. */
function deadlineMs({ timeoutSeconds }: Machine, type: MachineType, fromMs: number): number | null {
  const maximum = type === 'EXPRESS' ? MAXIMUM_EXPRESS_SECONDS : Number.POSITIVE_INFINITY
  const seconds = Math.min(timeoutSeconds ?? maximum, maximum)
  return seconds === Number.POSITIVE_INFINITY ? null : fromMs + seconds * 1_000
}
