import * as z from 'zod'
import type { Database } from './open-database.ts'

const route = z.object({ versionNumber: z.number(), weight: z.number() })
const aliasRow = z
  .object({
    machine_arn: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    routing: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.array(route)),
    created_ms: z.number(),
    updated_ms: z.number(),
  })
  .transform((row) => ({
    machineArn: row.machine_arn,
    name: row.name,
    description: row.description ?? undefined,
    routing: row.routing,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
  }))
export type AliasRecord = z.output<typeof aliasRow>
/** Which share of the executions, in percent, a version of the alias's machine runs: `{ versionNumber: 3, weight: 90 }`. */
export type Route = z.output<typeof route>

/** Names for one or two versions of a machine. */
export interface AliasStore {
  find(machineArn: string, name: string): AliasRecord | undefined
  save(alias: AliasRecord): void
  remove(machineArn: string, name: string): void
  removeAll(machineArn: string): void
  /** All of a machine's in order of name, at most 100. */
  ofMachine(machineArn: string): AliasRecord[]
  /** Those of them that lead to a version. */
  ofVersion(machineArn: string, number: number): AliasRecord[]
}

export function createAliasStore({ connection }: Database): AliasStore {
  const find = connection.prepare('SELECT * FROM machine_alias WHERE machine_arn = ? AND name = ?')
  const save = connection.prepare(
    `INSERT OR REPLACE INTO machine_alias (machine_arn, name, description, routing, created_ms, updated_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const remove = connection.prepare('DELETE FROM machine_alias WHERE machine_arn = ? AND name = ?')
  const removeAll = connection.prepare('DELETE FROM machine_alias WHERE machine_arn = ?')
  const allOfMachine = connection.prepare('SELECT * FROM machine_alias WHERE machine_arn = ? ORDER BY name')
  const ofMachine = (machineArn: string) => allOfMachine.all(machineArn).map((row) => aliasRow.parse(row))
  return {
    find(machineArn, name) {
      const row = find.get(machineArn, name)
      return row === undefined ? undefined : aliasRow.parse(row)
    },
    save({ machineArn, name, description, routing, createdMs, updatedMs }) {
      save.run(machineArn, name, description ?? null, JSON.stringify(routing), createdMs, updatedMs)
    },
    remove(machineArn, name) {
      remove.run(machineArn, name)
    },
    removeAll(machineArn) {
      removeAll.run(machineArn)
    },
    ofMachine,
    ofVersion: (machineArn, number) =>
      ofMachine(machineArn).filter(({ routing }) =>
        routing.some(({ versionNumber }) => versionNumber === number),
      ),
  }
}
