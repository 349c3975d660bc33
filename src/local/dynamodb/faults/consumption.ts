import * as z from 'zod'

/** Units that requests took, as AWS counts them. */
export interface Units {
  readonly writeUnits: number
  readonly readUnits: number
}

/** Of the table without its indexes, and of each global secondary index that took any. */
export interface TableUnits extends Units {
  readonly indexes: Readonly<Record<string, Units>>
}

/** Units of a table, or of one of its indexes. */
export interface Used {
  readonly index: { readonly name: string } | undefined
  readonly units: number
}

export interface Consumption {
  add(tableName: string, kind: keyof Units, used: readonly Used[]): void
  totals(): Readonly<Record<string, TableUnits>>
  reset(): void
}

export function createConsumption(): Consumption {
  const tables = new Map<string, Map<string | undefined, Units>>()
  return {
    add(tableName, kind, used) {
      const table = tables.get(tableName) ?? new Map<string | undefined, Units>()
      tables.set(tableName, table)
      for (const { index, units } of used) {
        const before = table.get(index?.name) ?? NOTHING
        table.set(index?.name, { ...before, [kind]: before[kind] + units })
      }
    },
    totals() {
      const totals = [...tables].map(([tableName, table]): [string, TableUnits] => {
        const indexes = [...table].flatMap(([name, units]) => (name === undefined ? [] : [[name, units]]))
        return [tableName, { ...(table.get(undefined) ?? NOTHING), indexes: Object.fromEntries(indexes) }]
      })
      return Object.fromEntries(totals)
    },
    reset: () => tables.clear(),
  }
}

export const returnConsumedCapacity = z.enum(['TOTAL', 'INDEXES', 'NONE']).default('NONE')
export type ReturnConsumedCapacity = z.infer<typeof returnConsumedCapacity>

/** The `ConsumedCapacity` of an answer; undefined when none was asked for. */
export function consumedCapacity(
  tableName: string,
  used: readonly Used[],
  asked: ReturnConsumedCapacity,
): object | undefined {
  if (asked === 'NONE') return undefined
  const total = { TableName: tableName, CapacityUnits: sum(used) }
  if (asked === 'TOTAL') return total
  const names = new Set(used.flatMap(({ index }) => (index ? [index.name] : [])))
  const indexes = [...names].map((name) => [
    name,
    { CapacityUnits: sum(used.filter(({ index }) => index?.name === name)) },
  ])
  return {
    ...total,
    Table: { CapacityUnits: sum(used.filter(({ index }) => index === undefined)) },
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: Object.fromEntries(indexes) }),
  }
}

const NOTHING: Units = { writeUnits: 0, readUnits: 0 }

const sum = (used: readonly Used[]): number => used.reduce((total, { units }) => total + units, 0)
