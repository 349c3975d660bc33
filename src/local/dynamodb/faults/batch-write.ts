import * as z from 'zod'
import { itemSchema } from './attribute-value.ts'
import { consumedCapacity, returnConsumedCapacity } from './consumption.ts'
import { answered, type Handler, LOST } from './handler.ts'
import type { ItemWrite, ItemWriter } from './item-writer.ts'
import type { LostAnswers } from './lost-answers.ts'
import { keyOf } from './table-schema.ts'
import type { OpenTable, Tables } from './tables.ts'
import { errorOf, type Wire } from './wire.ts'

const writeRequest = z.union([
  z.object({ PutRequest: z.object({ Item: itemSchema }) }),
  z.object({ DeleteRequest: z.object({ Key: itemSchema }) }),
])
const batchInput = z.object({
  RequestItems: z.record(z.string(), z.array(writeRequest)),
  ReturnConsumedCapacity: returnConsumedCapacity,
})

interface BatchedWrite extends ItemWrite {
  readonly request: z.infer<typeof writeRequest>
}

/** BatchWriteItem: what is throttled comes back as unprocessed, and is an error when that is all. */
export function createBatchWrite(options: {
  readonly wire: Wire
  readonly tables: Tables
  readonly writer: ItemWriter
  readonly lostAnswers: LostAnswers
}): Handler {
  const { wire, tables, writer, lostAnswers } = options
  return async (input) => {
    const parsed = batchInput.safeParse(input)
    if (!parsed.success) return undefined
    const { RequestItems, ReturnConsumedCapacity } = parsed.data
    const writes = await readWrites(RequestItems)
    const [first] = writes ?? []
    if (writes === undefined || first === undefined) return undefined

    const { answer, throttled, used } = await writer.write(writes, (admitted) =>
      wire.send('BatchWriteItem', {
        ...input,
        RequestItems: requestsOf(admitted),
        ReturnConsumedCapacity: 'NONE',
      }),
    )
    if (errorOf(answer) !== undefined) return answered(answer)
    if (lostAnswers.isLost('BatchWriteItem', first.table.schema.name, first.key)) return LOST
    const capacities = [...used].map(([name, units]) => consumedCapacity(name, units, ReturnConsumedCapacity))
    const body = {
      ...answer.body,
      UnprocessedItems: requestsOf(throttled),
      ConsumedCapacity: ReturnConsumedCapacity === 'NONE' ? undefined : capacities,
    }
    return answered({ ...answer, body })
  }

  /** Undefined when a table or a part of a key lacks: DynamoDB refuses the batch then. */
  async function readWrites(
    requestItems: z.infer<typeof batchInput>['RequestItems'],
  ): Promise<readonly BatchedWrite[] | undefined> {
    const writes: (BatchedWrite | undefined)[] = []
    for (const [name, requests] of Object.entries(requestItems)) {
      const table = await tables.open(name)
      writes.push(...requests.map((request) => table && readWrite(table, request)))
    }
    const known = writes.filter((write) => write !== undefined)
    return known.length === writes.length ? known : undefined
  }
}

function readWrite(table: OpenTable, request: BatchedWrite['request']): BatchedWrite | undefined {
  const item = 'PutRequest' in request ? request.PutRequest.Item : request.DeleteRequest.Key
  const key = keyOf(table.schema.keys, item)
  if (key === undefined) return undefined
  return { table, key, request, change: 'PutRequest' in request ? { kind: 'put', item } : { kind: 'delete' } }
}

function requestsOf(writes: readonly BatchedWrite[]): Record<string, readonly BatchedWrite['request'][]> {
  const groups = Map.groupBy(writes, ({ table }) => table.schema.name)
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.map(({ request }) => request)]))
}
