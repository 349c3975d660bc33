import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { addColumns } from './add-columns.ts'
import { LATER_EXECUTION_COLUMNS } from './execution-record.ts'

/** A predecessor may be finishing its last transaction. */
const LOCK_WAIT_MS = 2_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS machine (
    arn TEXT PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL, role_arn TEXT NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, revision_id TEXT
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS machine_version (
    machine_arn TEXT NOT NULL, number INTEGER NOT NULL, definition TEXT NOT NULL, role_arn TEXT NOT NULL, configuration TEXT NOT NULL,
    revision_id TEXT, description TEXT, created_ms INTEGER NOT NULL,
    PRIMARY KEY (machine_arn, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS machine_alias (
    machine_arn TEXT NOT NULL, name TEXT NOT NULL, description TEXT, routing TEXT NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
    PRIMARY KEY (machine_arn, name)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS machine_tag (
    machine_arn TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (machine_arn, key)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS machine_deletion (machine_arn TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS definition (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS execution (
    id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE, name TEXT NOT NULL, machine_arn TEXT NOT NULL, role_arn TEXT NOT NULL,
    definition_hash TEXT NOT NULL, input TEXT NOT NULL, started_ms INTEGER NOT NULL, deadline_ms INTEGER,
    event_count INTEGER NOT NULL, next_thread_id INTEGER NOT NULL,
    status TEXT NOT NULL, output TEXT, error TEXT, cause TEXT, stopped_ms INTEGER
  );
  CREATE INDEX IF NOT EXISTS execution_of_machine ON execution (machine_arn, id);
  CREATE INDEX IF NOT EXISTS running ON execution (id) WHERE status = 'RUNNING';
  CREATE TABLE IF NOT EXISTS thread (
    execution_id INTEGER NOT NULL, id INTEGER NOT NULL, parent_id INTEGER, branch_index INTEGER NOT NULL, control TEXT NOT NULL,
    input TEXT NOT NULL, variables TEXT NOT NULL, items TEXT, result TEXT,
    PRIMARY KEY (execution_id, id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS event (
    execution_id INTEGER NOT NULL, id INTEGER NOT NULL, previous_id INTEGER NOT NULL, type TEXT NOT NULL, time_ms INTEGER NOT NULL,
    details TEXT,
    PRIMARY KEY (execution_id, id)
  ) WITHOUT ROWID;
`

/** What came to the table of machines after its first databases were written. */
const LATER_MACHINE_COLUMNS = {
  type: "TEXT NOT NULL DEFAULT 'STANDARD'",
  configuration: "TEXT NOT NULL DEFAULT '{}'",
  last_version: 'INTEGER NOT NULL DEFAULT 0',
  created_published: 'INTEGER NOT NULL DEFAULT 0',
  created_description: 'TEXT',
}

/** What a transition left in an earlier form cannot go on; a redrive can take it up. */
const ABORT_OLD = `
  UPDATE execution SET status = 'ABORTED', cause = 'It was started by an earlier version of this stand-in.', stopped_ms = started_ms
  WHERE status = 'RUNNING'
`

export interface Database {
  readonly connection: DatabaseSync
  /** Runs `work` as one transaction, which a kill leaves whole or undone, or as part of the one that is going on. `work` must not wait for anything. */
  transact(work: () => void): void
  close(): void
}

/**
 * Opens `step-functions.sqlite` in the directory, which is made where it is absent. Writes survive a killed process, not a loss of power
 * (synchronous NORMAL). Throws when another process has it open.
 */
export function openDatabase(directory: string): Database {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'step-functions.sqlite')
  const connection = new DatabaseSync(path, { timeout: LOCK_WAIT_MS })
  try {
    connection.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
    )
    connection.exec(SCHEMA)
    addColumns(connection, 'machine', LATER_MACHINE_COLUMNS)
    if (addColumns(connection, 'execution', LATER_EXECUTION_COLUMNS)) connection.exec(ABORT_OLD)
  } catch (cause) {
    connection.close()
    throw new Error(`Cannot use ${path}; another process may have it open`, { cause })
  }
  const begin = connection.prepare('BEGIN')
  const commit = connection.prepare('COMMIT')
  const rollback = connection.prepare('ROLLBACK')
  return {
    connection,
    transact(work) {
      if (connection.isTransaction) return work()
      begin.run()
      try {
        work()
        commit.run()
      } catch (error) {
        rollback.run()
        throw error
      }
    },
    close: () => connection.close(),
  }
}
