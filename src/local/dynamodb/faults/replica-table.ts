import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { itemSchema } from './attribute-value.ts'
import { keyOf, type TableSchema } from './table-schema.ts'
import { errorOf, type Wire } from './wire.ts'
import { writeBatches } from './write-batches.ts'

const LOOK_EVERY_MS = 5
const scanOutput = z.object({ Items: z.array(itemSchema), LastEvaluatedKey: itemSchema.optional() })
const describeTableOutput = z.object({ Table: z.object({ TableStatus: z.string() }) })

/** Makes a table of this name like the given one, with its items; one that is there already, from an earlier time, is replaced. */
export async function makeReplicaTable(wire: Wire, schema: TableSchema, tableName: string): Promise<void> {
  const input = { ...schema.definition, TableName: tableName, BillingMode: 'PAY_PER_REQUEST' }
  for (;;) {
    const answer = await wire.send('CreateTable', input)
    if (answer.status === 200) break
    if (errorOf(answer) !== 'ResourceInUseException')
      throw new Error(`The replica ${tableName} cannot be made: ${JSON.stringify(answer.body)}`)
    await wire.send('DeleteTable', { TableName: tableName }) // refused while it is being made or deleted
    await sleep(LOOK_EVERY_MS)
  }
  while (!(await isActive(wire, tableName))) await sleep(LOOK_EVERY_MS)
  await copyItems(wire, schema, tableName)
}

async function isActive(wire: Wire, tableName: string): Promise<boolean> {
  const { body } = await wire.send('DescribeTable', { TableName: tableName })
  return describeTableOutput.parse(body).Table.TableStatus === 'ACTIVE'
}

async function copyItems(wire: Wire, schema: TableSchema, tableName: string): Promise<void> {
  let after: z.infer<typeof scanOutput>['LastEvaluatedKey']
  do {
    const input = { TableName: schema.name, ConsistentRead: true, ExclusiveStartKey: after }
    const { Items, LastEvaluatedKey } = scanOutput.parse((await wire.send('Scan', input)).body)
    const versions = Items.map((item) => ({ key: keyOf(schema.keys, item) ?? {}, item }))
    await writeBatches(wire, tableName, versions)
    after = LastEvaluatedKey
  } while (after !== undefined)
}
