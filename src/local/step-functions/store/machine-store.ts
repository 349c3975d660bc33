import * as z from 'zod'
import type { Database } from './open-database.ts'

const machineRow = z
  .object({
    arn: z.string(),
    name: z.string(),
    definition: z.string(),
    role_arn: z.string(),
    created_ms: z.number(),
    updated_ms: z.number(),
    revision_id: z.string().nullable(),
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
  }))
export type MachineRecord = z.output<typeof machineRow>

export interface MachineStore {
  find(arn: string): MachineRecord | undefined
  save(machine: MachineRecord): void
  /** In order of ARN, after the given one. */
  list(afterArn: string, limit: number): MachineRecord[]
}

export function createMachineStore({ connection }: Database): MachineStore {
  const find = connection.prepare('SELECT * FROM machine WHERE arn = ?')
  const save = connection.prepare('INSERT OR REPLACE INTO machine VALUES (?, ?, ?, ?, ?, ?, ?)')
  const list = connection.prepare('SELECT * FROM machine WHERE arn > ? ORDER BY arn LIMIT ?')
  return {
    find(arn) {
      const row = find.get(arn)
      return row === undefined ? undefined : machineRow.parse(row)
    },
    save({ arn, name, definition, roleArn, createdMs, updatedMs, revisionId }) {
      save.run(arn, name, definition, roleArn, createdMs, updatedMs, revisionId ?? null)
    },
    list: (afterArn, limit) => list.all(afterArn, limit).map((row) => machineRow.parse(row)),
  }
}
