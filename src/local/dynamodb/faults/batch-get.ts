import * as z from 'zod'
import { type Consumption, consumedCapacity, returnConsumedCapacity } from './consumption.ts'
import { answered, type Handler } from './handler.ts'
import type { ReadPlaces } from './read-places.ts'
import { type Tables, withoutReplicaNames } from './tables.ts'
import { errorOf, type Wire } from './wire.ts'

const batchInput = z.object({
  RequestItems: z.record(
    z.string(),
    z.looseObject({ Keys: z.array(z.unknown()), ConsistentRead: z.boolean().default(false) }),
  ),
  ReturnConsumedCapacity: returnConsumedCapacity,
})
const byTable = z.record(z.string(), z.unknown())
const batchOutput = z.object({
  Responses: byTable,
  UnprocessedKeys: byTable,
  ConsumedCapacity: z.array(z.object({ TableName: z.string(), CapacityUnits: z.number() })),
})

/** BatchGetItem. Its units are counted, and throttled by no partition: what each key took is not known. */
export function createBatchGet(options: {
  readonly wire: Wire
  readonly tables: Tables
  readonly places: ReadPlaces
  readonly consumption: Consumption
}): Handler {
  const { wire, tables, places, consumption } = options
  return async (input) => {
    const parsed = batchInput.safeParse(input)
    if (!parsed.success) return undefined
    const requests: [string, object][] = []
    for (const [name, request] of Object.entries(parsed.data.RequestItems)) {
      const table = await tables.open(name)
      if (table === undefined) return undefined
      const about = ['BatchGetItem', name, JSON.stringify(request.Keys)]
      const read = { index: undefined, consistent: request.ConsistentRead, about }
      requests.push([await places.choose(table, read), request])
    }

    const answer = await wire.send('BatchGetItem', {
      RequestItems: Object.fromEntries(requests),
      ReturnConsumedCapacity: 'TOTAL',
    })
    if (errorOf(answer) !== undefined) {
      const message = withoutReplicaNames(String(answer.body.message))
      return answered({ ...answer, body: { ...answer.body, message } })
    }
    const output = batchOutput.parse(answer.body)
    const capacities = output.ConsumedCapacity.map(({ TableName, CapacityUnits }) => {
      const name = withoutReplicaNames(TableName)
      const used = [{ index: undefined, units: CapacityUnits }]
      consumption.add(name, 'readUnits', used)
      return consumedCapacity(name, used, parsed.data.ReturnConsumedCapacity)
    })
    const body = {
      Responses: withTableNames(output.Responses),
      UnprocessedKeys: withTableNames(output.UnprocessedKeys),
      ConsumedCapacity: parsed.data.ReturnConsumedCapacity === 'NONE' ? undefined : capacities,
    }
    return answered({ ...answer, body })
  }
}

const withTableNames = (tables: z.infer<typeof byTable>): z.infer<typeof byTable> =>
  Object.fromEntries(Object.entries(tables).map(([name, value]) => [withoutReplicaNames(name), value]))
