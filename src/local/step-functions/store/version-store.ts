import * as z from 'zod'
import { configurationColumn } from './machine-configuration.ts'
import type { Database } from './open-database.ts'

const versionRow = z
  .object({
    machine_arn: z.string(),
    number: z.number(),
    definition: z.string(),
    role_arn: z.string(),
    configuration: configurationColumn,
    revision_id: z.string().nullable(),
    description: z.string().nullable(),
    created_ms: z.number(),
  })
  .transform((row) => ({
    machineArn: row.machine_arn,
    /** 1 and up; never given twice, not even after a deletion. */
    number: row.number,
    definition: row.definition,
    roleArn: row.role_arn,
    configuration: row.configuration,
    /** The machine's when it was published. */
    revisionId: row.revision_id ?? undefined,
    description: row.description ?? undefined,
    createdMs: row.created_ms,
  }))
export type VersionRecord = z.output<typeof versionRow>

/** Published versions of machines. */
export interface VersionStore {
  find(machineArn: string, number: number): VersionRecord | undefined
  /** The latest that was published from a revision; undefined stands for the machine as it was created. */
  ofRevision(machineArn: string, revisionId: string | undefined): VersionRecord | undefined
  /** How many the machine has. */
  count(machineArn: string): number
  add(version: VersionRecord): void
  remove(machineArn: string, number: number): void
  removeAll(machineArn: string): void
  /** Highest number first, below the given one. */
  list(machineArn: string, belowNumber: number, limit: number): VersionRecord[]
}

export function createVersionStore({ connection }: Database): VersionStore {
  const find = connection.prepare('SELECT * FROM machine_version WHERE machine_arn = ? AND number = ?')
  const ofRevision = connection.prepare(
    'SELECT * FROM machine_version WHERE machine_arn = ? AND revision_id IS ? ORDER BY number DESC LIMIT 1',
  )
  const count = connection.prepare('SELECT count(*) AS count FROM machine_version WHERE machine_arn = ?')
  const add = connection.prepare(
    `INSERT INTO machine_version (machine_arn, number, definition, role_arn, configuration, revision_id, description, created_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = connection.prepare('DELETE FROM machine_version WHERE machine_arn = ? AND number = ?')
  const removeAll = connection.prepare('DELETE FROM machine_version WHERE machine_arn = ?')
  const list = connection.prepare(
    'SELECT * FROM machine_version WHERE machine_arn = ? AND number < ? ORDER BY number DESC LIMIT ?',
  )
  const read = (row: unknown) => (row === undefined ? undefined : versionRow.parse(row))
  return {
    find: (machineArn, number) => read(find.get(machineArn, number)),
    ofRevision: (machineArn, revisionId) => read(ofRevision.get(machineArn, revisionId ?? null)),
    count: (machineArn) => Number(count.get(machineArn)?.count),
    add(version) {
      add.run(
        version.machineArn,
        version.number,
        version.definition,
        version.roleArn,
        JSON.stringify(version.configuration),
        version.revisionId ?? null,
        version.description ?? null,
        version.createdMs,
      )
    },
    remove(machineArn, number) {
      remove.run(machineArn, number)
    },
    removeAll(machineArn) {
      removeAll.run(machineArn)
    },
    list: (machineArn, belowNumber, limit) =>
      list.all(machineArn, belowNumber, limit).map((row) => versionRow.parse(row)),
  }
}
