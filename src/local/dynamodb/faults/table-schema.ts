import * as z from 'zod'
import { canonicalText, type Item } from './attribute-value.ts'

/** A table as DynamoDB describes it, and what of that the faults need. */
export interface TableSchema {
  readonly name: string
  readonly arn: string
  /** Billed per request, not by provisioned units. */
  readonly onDemand: boolean
  /** The names of the key's attributes: the partition's, then the sort key's where there is one. */
  readonly keys: readonly [string, ...string[]]
  readonly indexes: readonly GlobalIndex[]
  /** What makes another table like this one: the input of CreateTable but for the name. */
  readonly definition: TableDefinition
}

export interface GlobalIndex {
  readonly name: string
  readonly arn: string
  readonly keys: readonly [string, ...string[]]
  /** All attributes when undefined; otherwise those that an entry has, keys included. */
  readonly projected: ReadonlySet<string> | undefined
}

const keyElement = z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })
const keySchema = z.tuple([keyElement], keyElement)
const index = z.object({
  IndexName: z.string(),
  KeySchema: keySchema,
  Projection: z.object({
    ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
})
const definition = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  LocalSecondaryIndexes: z.array(index).optional(),
  GlobalSecondaryIndexes: z.array(index).optional(),
})
const describeTableOutput = z.object({
  Table: definition.extend({
    TableName: z.string(),
    TableArn: z.string(),
    TableStatus: z.string(),
    BillingModeSummary: z.object({ BillingMode: z.string() }).optional(),
    GlobalSecondaryIndexes: z.array(index.extend({ IndexArn: z.string() })).optional(),
  }),
})

export type TableDefinition = z.infer<typeof definition>

/** Reads the output of DescribeTable; undefined while nothing can be written to the table. */
export function parseTableSchema(output: unknown): TableSchema | undefined {
  const { Table } = describeTableOutput.parse(output)
  if (Table.TableStatus === 'CREATING' || Table.TableStatus === 'DELETING') return undefined
  const keys = namesOf(Table.KeySchema)
  return {
    name: Table.TableName,
    arn: Table.TableArn,
    onDemand: Table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST',
    keys,
    indexes: (Table.GlobalSecondaryIndexes ?? []).map(({ IndexName, IndexArn, KeySchema, Projection }) => ({
      name: IndexName,
      arn: IndexArn,
      keys: namesOf(KeySchema),
      projected:
        Projection.ProjectionType === 'ALL'
          ? undefined
          : new Set([...keys, ...namesOf(KeySchema), ...(Projection.NonKeyAttributes ?? [])]),
    })),
    definition: definition.parse(Table),
  }
}

/** The attributes of these names; undefined unless all are there. */
export function keyOf(names: readonly string[], item: Item): Item | undefined {
  const key: Record<string, Item[string]> = {}
  for (const name of names) {
    const value = item[name]
    if (value === undefined) return undefined
    key[name] = value
  }
  return key
}

/** The same text for the same key, whatever the order and the spelling of its numbers. */
export const keyText = (key: Item): string => canonicalText({ M: key })

const namesOf = ([first, ...rest]: z.infer<typeof keySchema>): readonly [string, ...string[]] => [
  first.AttributeName,
  ...rest.map(({ AttributeName }) => AttributeName),
]
