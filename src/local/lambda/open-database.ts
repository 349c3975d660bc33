import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens `events.sqlite` in the directory, which is made where it is absent, and brings an older one up to date. What a
 * statement has written is kept when the process is killed.
 */
export function openDatabase(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true })
  const database = new DatabaseSync(join(directory, 'events.sqlite'))
  // WAL without a sync per write: what is written survives the death of the process, which is what a stand-in needs.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  MIGRATIONS.slice(version).forEach((migration, i) => {
    database.exec(`BEGIN; ${migration} PRAGMA user_version = ${version + i + 1}; COMMIT`)
  })
  return database
}

/** In order; how many of them a database has had is its `user_version`. */
const MIGRATIONS = [
  // The first databases were made without a version.
  `
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
  `,
  `
  ALTER TABLE events ADD COLUMN qualifier TEXT;
  ALTER TABLE events ADD COLUMN trace TEXT;
  ALTER TABLE events ADD COLUMN putBacks INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE invocations (
    id TEXT PRIMARY KEY,
    requestId TEXT NOT NULL,
    executedVersion TEXT NOT NULL,
    outcome TEXT,
    endedAtMs INTEGER
  );
  CREATE INDEX endedInvocations ON invocations (endedAtMs);
  `,
  `
  ALTER TABLE events ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  UPDATE events SET failures = attempts - running WHERE lastError IS NOT NULL;
  `,
]
