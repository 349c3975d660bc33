import * as z from 'zod'
import { attributeValueSchema, type Item, itemSchema } from './attribute-value.ts'
import { type Consumption, consumedCapacity, returnConsumedCapacity } from './consumption.ts'
import { answered, type Handler } from './handler.ts'
import { equalTo } from './names-in-expression.ts'
import type { ReadPlaces } from './read-places.ts'
import { type Tables, withoutReplicaNames } from './tables.ts'
import { throttledAnswer } from './throttled.ts'
import type { TokenBuckets } from './token-buckets.ts'
import { type Answer, errorOf, type Wire } from './wire.ts'
import { bucketOf } from './write-charges.ts'

const readInput = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  ConsistentRead: z.boolean().default(false),
  ReturnConsumedCapacity: returnConsumedCapacity,
  Key: itemSchema.optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: itemSchema.optional(),
  KeyConditions: z
    .record(z.string(), z.object({ AttributeValueList: z.array(attributeValueSchema).optional() }))
    .optional(),
})
type ReadInput = z.infer<typeof readInput>

const readOutput = z.object({ ConsumedCapacity: z.object({ CapacityUnits: z.number() }) })

/**
 * GetItem, Query and Scan. The units are those that DynamoDB's stand-in counts, at least what reading nothing costs; a scan, whose
 * partitions nobody knows, is not throttled.
 */
export function createReads(options: {
  readonly wire: Wire
  readonly tables: Tables
  readonly places: ReadPlaces
  readonly buckets: TokenBuckets
  readonly consumption: Consumption
}): Readonly<Record<'GetItem' | 'Query' | 'Scan', Handler>> {
  const { wire, tables, places, buckets, consumption } = options

  const handler =
    (operation: string): Handler =>
    async (input) => {
      const parsed = readInput.safeParse(input)
      const table = parsed.success ? await tables.open(parsed.data.TableName) : undefined
      if (!parsed.success || table === undefined) return undefined
      const { IndexName, ConsistentRead, ReturnConsumedCapacity } = parsed.data
      const { schema } = table
      const index = schema.indexes.find(({ name }) => name === IndexName)
      const partition = partitionOf((index ?? schema).keys, parsed.data)
      if (index && ConsistentRead) return answered(NOT_CONSISTENT)
      const leastUnits = ConsistentRead ? 1 : 0.5
      const charge = (units: number) =>
        partition ? [{ bucket: bucketOf(schema, index, partition), units }] : []

      const reserved = charge(leastUnits)
      if (buckets.reserve(reserved)) return answered(throttledAnswer(schema, index, 'Read'))
      const TableName = await places.choose(table, {
        index,
        consistent: ConsistentRead,
        about: [operation, JSON.stringify(input)],
      })
      // The stand-in is always consistent, and its scan counts half units whatever is asked: so half are always asked for.
      const sent = { ...input, TableName, ConsistentRead: false, ReturnConsumedCapacity: 'TOTAL' }
      const answer = await wire.send(operation, sent)
      if (errorOf(answer) !== undefined) {
        buckets.settle(reserved, [])
        return answered(withTableNames(answer))
      }
      const { CapacityUnits } = readOutput.parse(answer.body).ConsumedCapacity
      const units = Math.max(leastUnits, ConsistentRead ? 2 * CapacityUnits : CapacityUnits)
      buckets.settle(reserved, charge(units))
      const used = [{ index, units }]
      consumption.add(schema.name, 'readUnits', used)
      const ConsumedCapacity = consumedCapacity(schema.name, used, ReturnConsumedCapacity)
      return answered({ ...answer, body: { ...answer.body, ConsumedCapacity } })
    }

  return { GetItem: handler('GetItem'), Query: handler('Query'), Scan: handler('Scan') }
}

/** The stand-in refuses a consistent query of a global secondary index, and lets a scan pass. */
const NOT_CONSISTENT: Answer = {
  status: 400,
  body: {
    __type: 'com.amazon.coral.validate#ValidationException',
    message: 'Consistent reads are not supported on global secondary indexes',
  },
}

/** The key of the partition that is read, where the request says it. */
function partitionOf([name]: readonly [string, ...string[]], input: ReadInput): Item | undefined {
  const { Key, KeyConditionExpression = '', ExpressionAttributeNames = {} } = input
  const placeholder = equalTo(name, KeyConditionExpression, ExpressionAttributeNames)
  const value =
    Key?.[name] ??
    (placeholder === undefined ? undefined : input.ExpressionAttributeValues?.[placeholder]) ??
    input.KeyConditions?.[name]?.AttributeValueList?.[0]
  return value && { [name]: value }
}

/** An error names the table that the caller asked. */
const withTableNames = ({ status, body }: Answer): Answer => ({
  status,
  body: { ...body, message: withoutReplicaNames(String(body.message)) },
})
