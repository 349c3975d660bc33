import * as z from 'zod'
import { type AliasStore, createAliasStore } from './alias-store.ts'
import { configurationColumn } from './machine-configuration.ts'
import type { Database } from './open-database.ts'
import { createTagStore, type Tag, type TagStore } from './tag-store.ts'
import { createVersionStore, type VersionRecord, type VersionStore } from './version-store.ts'

const machineRow = z
  .object({
    arn: z.string(),
    name: z.string(),
    definition: z.string(),
    role_arn: z.string(),
    created_ms: z.number(),
    updated_ms: z.number(),
    revision_id: z.string().nullable(),
    type: z.enum(['STANDARD', 'EXPRESS']),
    configuration: configurationColumn,
    last_version: z.number(),
    created_published: z.number(),
    created_description: z.string().nullable(),
    is_deleting: z.number(),
  })
  .transform((row) => ({
    arn: row.arn,
    name: row.name,
    definition: row.definition,
    roleArn: row.role_arn,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
    /** Undefined until the first update, as on AWS. */
    revisionId: row.revision_id ?? undefined,
    type: row.type,
    configuration: row.configuration,
    /** The number of the version published last; 0 before the first. */
    lastVersion: row.last_version,
    /** Whether it was created with `publish`, and under which description: a repeated creation must say the same. */
    created: {
      publish: row.created_published === 1,
      versionDescription: row.created_description ?? undefined,
    },
    status: row.is_deleting === 1 ? ('DELETING' as const) : ('ACTIVE' as const),
  }))
export type MachineRecord = z.output<typeof machineRow>

/** What is stored in the same transaction as a machine. */
export interface SavedWithMachine {
  readonly version?: VersionRecord | undefined
  readonly tags?: readonly Tag[] | undefined
}

export interface MachineStore {
  readonly versions: VersionStore
  readonly aliases: AliasStore
  readonly tags: TagStore
  /** By the ARN of a machine itself, not of a version or alias. */
  find(arn: string): MachineRecord | undefined
  /** Whether it was removed and something of it still runs. */
  isDeleting(arn: string): boolean
  save(machine: MachineRecord, added?: SavedWithMachine): void
  /**
   * Deletes a machine with its versions, aliases and tags: at once when none of its executions runs, otherwise when a look finds that the
   * last one has ended. Until then it is found, as DELETING.
   */
  remove(arn: string): void
  /** In order of ARN, after the given one. */
  list(afterArn: string, limit: number): MachineRecord[]
}

export function createMachineStore(database: Database): MachineStore {
  const { connection, transact } = database
  const versions = createVersionStore(database)
  const aliases = createAliasStore(database)
  const tags = createTagStore(database)
  const find = connection.prepare(`${SELECT} WHERE arn = ?`)
  const list = connection.prepare(`${SELECT} WHERE arn > ? ORDER BY arn LIMIT ?`)
  const save = connection.prepare(
    `INSERT OR REPLACE INTO machine
       (arn, name, definition, role_arn, created_ms, updated_ms, revision_id, type, configuration, last_version,
        created_published, created_description)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = connection.prepare('DELETE FROM machine WHERE arn = ?')
  const markDeleting = connection.prepare('INSERT OR IGNORE INTO machine_deletion VALUES (?)')
  const unmarkDeleting = connection.prepare('DELETE FROM machine_deletion WHERE machine_arn = ?')
  const deleting = connection.prepare('SELECT 1 FROM machine_deletion WHERE machine_arn = ?')
  const idle = connection.prepare(
    `SELECT machine_arn FROM machine_deletion WHERE NOT EXISTS
       (SELECT 1 FROM execution WHERE execution.machine_arn = machine_deletion.machine_arn AND status = 'RUNNING')`,
  )
  return {
    versions,
    aliases,
    tags,
    find(arn) {
      removeIdle()
      const row = find.get(arn)
      return row === undefined ? undefined : machineRow.parse(row)
    },
    isDeleting: (arn) => deleting.get(arn) !== undefined,
    save(machine, { version, tags: added = [] } = {}) {
      transact(() => {
        save.run(
          machine.arn,
          machine.name,
          machine.definition,
          machine.roleArn,
          machine.createdMs,
          machine.updatedMs,
          machine.revisionId ?? null,
          machine.type,
          JSON.stringify(machine.configuration),
          machine.lastVersion,
          machine.created.publish ? 1 : 0,
          machine.created.versionDescription ?? null,
        )
        if (version !== undefined) versions.add(version)
        for (const tag of added) tags.save(machine.arn, tag)
      })
    },
    remove(arn) {
      if (find.get(arn) === undefined) return
      markDeleting.run(arn)
      removeIdle()
    },
    list(afterArn, limit) {
      removeIdle()
      return list.all(afterArn, limit).map((row) => machineRow.parse(row))
    },
  }

  function removeIdle(): void {
    for (const row of idle.all()) {
      const arn = String(row.machine_arn)
      transact(() => {
        for (const store of [versions, aliases, tags]) store.removeAll(arn)
        remove.run(arn)
        unmarkDeleting.run(arn)
      })
    }
  }
}

const SELECT = `SELECT *, EXISTS (SELECT 1 FROM machine_deletion WHERE machine_arn = machine.arn) AS is_deleting
  FROM machine`
