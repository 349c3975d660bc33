import type { Clock } from '../../clock.ts'
import type { Dice } from '../../dice.ts'
import { createReplica, type Replica } from './replica.ts'
import { makeReplicaTable } from './replica-table.ts'
import { parseTableSchema, type TableSchema } from './table-schema.ts'
import { errorOf, type Wire } from './wire.ts'

/** A table and the copies that reads may be answered from. */
export interface OpenTable {
  readonly schema: TableSchema
  readonly replica: Replica
  /** What its global secondary indexes are read from; they lag on their own. */
  readonly indexReplica: Replica | undefined
}

export interface Tables {
  /** With copies that hold what the table holds when it is first asked for. Undefined when there is no such table, or not yet. */
  open(name: string): Promise<OpenTable | undefined>
  /** Has the copies made anew when the table is next asked for, after what was not seen here changed it. */
  forget(name: string): void
  /** Whether what is written now reaches the copies. */
  isOpen(table: OpenTable): boolean
  /** Deletes the copies of a table that is gone. */
  drop(name: string): Promise<void>
  /** Resolves when all copies hold all. */
  settle(): Promise<void>
  /** Deletes all copies; where DynamoDB is not reached they stay. */
  close(): Promise<void>
}

const SUFFIXES = ['.turnwise-replica', '.turnwise-index-replica'] as const

/** Whether the table is a copy, which nobody is to see. */
export const isReplicaName = (name: string): boolean => SUFFIXES.some((suffix) => name.endsWith(suffix))

/** Texts of DynamoDB name the table that was asked. */
export const withoutReplicaNames = (text: string): string =>
  text.replaceAll(/\.turnwise-(index-)?replica\b/g, '')

export function createTables(options: {
  readonly wire: Wire
  readonly clock: Clock
  readonly dice: Dice
  readonly maximumLagMs: number
  readonly maximumIndexLagMs: number
}): Tables {
  const { wire, clock, dice, maximumLagMs, maximumIndexLagMs } = options
  const opened = new Map<string, Promise<OpenTable | undefined>>()
  const stopped = new Map<string, Promise<void>>()
  const forgotten = new WeakSet<OpenTable>()

  async function build(name: string): Promise<OpenTable | undefined> {
    await stopped.get(name)
    stopped.delete(name)
    const described = await wire.send('DescribeTable', { TableName: name })
    if (errorOf(described) !== undefined) return undefined
    const schema = parseTableSchema(described.body)
    if (schema === undefined) return undefined
    const [suffix, indexSuffix] = SUFFIXES
    return {
      schema,
      replica: await make(schema, suffix, maximumLagMs),
      indexReplica:
        schema.indexes.length > 0 ? await make(schema, indexSuffix, maximumIndexLagMs) : undefined,
    }
  }
  async function make(schema: TableSchema, suffix: string, lagMs: number): Promise<Replica> {
    const tableName = schema.name + suffix
    await makeReplicaTable(wire, schema, tableName)
    return createReplica({ wire, tableName, clock, dice, maximumLagMs: lagMs })
  }
  async function stop(opening: Promise<OpenTable | undefined>): Promise<void> {
    const table = await opening.catch(() => undefined)
    if (table === undefined) return
    forgotten.add(table)
    await Promise.all(replicasOf(table).map((replica) => replica.stop()))
  }
  function forget(name: string): void {
    const opening = opened.get(name)
    if (opening === undefined) return
    opened.delete(name)
    stopped.set(name, stop(opening))
  }

  async function drop(name: string): Promise<void> {
    forget(name)
    await stopped.get(name)
    for (const suffix of SUFFIXES) await wire.send('DeleteTable', { TableName: name + suffix })
  }

  return {
    open(name) {
      const known = opened.get(name)
      if (known) return known
      const opening = build(name)
      const forgetUnlessFound = (table?: OpenTable) => {
        if (table === undefined && opened.get(name) === opening) opened.delete(name)
      }
      opening.then(forgetUnlessFound, () => forgetUnlessFound())
      opened.set(name, opening)
      return opening
    },
    forget,
    isOpen: (table) => !forgotten.has(table),
    drop,
    async settle() {
      const tables = await Promise.all(opened.values())
      await Promise.all(tables.flatMap((table) => replicasOf(table).map((replica) => replica.settle())))
    },
    async close() {
      await Promise.allSettled([...opened.keys()].map(drop))
    },
  }
}

const replicasOf = (table: OpenTable | undefined): readonly Replica[] =>
  [table?.replica, table?.indexReplica].filter((replica) => replica !== undefined)
