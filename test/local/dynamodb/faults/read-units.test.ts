import {
  BatchGetItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  type ReturnConsumedCapacity,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FaultyTable, open, order, orderOfSize, queryStatus, useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()
let table: FaultyTable
/** Each test has a customer of its own. */
let customer = 'c10'

beforeAll(async () => {
  table = await tables.create()
})
beforeEach(() => {
  customer = `c${Number(customer.slice(1)) + 1}`
})

const key = (number: number) => order(number, customer)
const orderOf = (number: number, sizeBytes: number) => orderOfSize(number, sizeBytes, customer)

describe('the read units', () => {
  /** What a read takes, consistent and not. */
  async function readUnitsOf(read: (consistent: boolean) => Promise<unknown>, of = table) {
    const { faults, name } = of
    const units: (number | undefined)[] = []
    for (const consistent of [true, false]) {
      faults.resetConsumed()
      await read(consistent)
      units.push(faults.consumed()[name]?.readUnits)
    }
    return units
  }

  it('are one for each 4 KB begun of an item, half when not consistent, and no less for nothing', async () => {
    await table.put(orderOf(1, 3_500))
    await table.put(orderOf(2, 8_192))
    await table.faults.settle()
    const get = (number: number) => readUnitsOf((consistent) => table.get(key(number), { consistent }))
    expect([await get(1), await get(2), await get(3)]).toEqual([
      [1, 0.5],
      [2, 1],
      [1, 0.5],
    ])
  })

  it('are those of the items together in a query, and one by one in a batch', async () => {
    const { client, name, faults } = table
    await table.put(orderOf(1, 1_536))
    await table.put(orderOf(2, 6_656))
    await faults.settle()
    const query = {
      TableName: name,
      KeyConditionExpression: 'customer = :c',
      ExpressionAttributeValues: { ':c': { S: customer } },
    }
    const Keys = [key(1), key(2)]
    const read = {
      query: await readUnitsOf((ConsistentRead) =>
        client.send(new QueryCommand({ ...query, ConsistentRead })),
      ),
      batch: await readUnitsOf((ConsistentRead) =>
        client.send(new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead } } })),
      ),
    }
    expect(read).toEqual({ query: [2, 1], batch: [3, 1.5] })
  })

  it('are those of all items in a scan, whatever its filter leaves', async () => {
    const small = await tables.create()
    await small.put(orderOf(1, 1_536))
    await small.put(orderOf(2, 6_656))
    await small.faults.settle()
    const input = {
      TableName: small.name,
      FilterExpression: 'price > :p',
      ExpressionAttributeValues: { ':p': { N: '1' } },
    }
    const scan = (ConsistentRead: boolean) => small.client.send(new ScanCommand({ ...input, ConsistentRead }))
    expect(await readUnitsOf(scan, small)).toEqual([2, 1])
  })

  it('are the index’s when it is queried: two for eight entries of 2,000 bytes', async () => {
    const { client, name, faults, put } = table
    // Names and values: the key of the table 19, of the index 6 + 4 and 3 + 2, and the note's name 4.
    const item = (number: number) => ({
      ...key(number),
      ...open(1, 'n'.repeat(2_000 - 38)),
      status: { S: 'busy' },
    })
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => put({ ...item(number), price: { N: '1' } })))
    await faults.settle()
    faults.resetConsumed()
    await client.send(new QueryCommand(queryStatus(name, 'busy')))
    expect(faults.consumed()).toEqual({
      [name]: { writeUnits: 0, readUnits: 0, indexes: { byStatus: { writeUnits: 0, readUnits: 2 } } },
    })
  })
})

describe('the consumed capacity of an answer', () => {
  const put = async (ReturnConsumedCapacity?: ReturnConsumedCapacity) => {
    const { client, name } = table
    const Item = { ...orderOf(1, 1_500), ...open(1) }
    const input = { TableName: name, Item, ...(ReturnConsumedCapacity && { ReturnConsumedCapacity }) }
    return (await client.send(new PutItemCommand(input))).ConsumedCapacity
  }

  it('is what was counted, as much of it as was asked for', async () => {
    expect(await put('TOTAL')).toEqual({ TableName: table.name, CapacityUnits: 3 })
    expect(await put('INDEXES')).toEqual({
      TableName: table.name,
      CapacityUnits: 2,
      Table: { CapacityUnits: 2 },
    })
    expect(await put()).toBeUndefined()
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: key(1) }))
    expect(await put('INDEXES')).toEqual({
      TableName: table.name,
      CapacityUnits: 3,
      Table: { CapacityUnits: 2 },
      GlobalSecondaryIndexes: { byStatus: { CapacityUnits: 1 } },
    })
  })

  it('names the table also where a replica was read', async () => {
    const { client, name } = table
    const query = { ...queryStatus(name, 'none'), ReturnConsumedCapacity: 'INDEXES' as const }
    expect((await client.send(new QueryCommand(query))).ConsumedCapacity).toEqual({
      TableName: name,
      CapacityUnits: 0.5,
      Table: { CapacityUnits: 0 },
      GlobalSecondaryIndexes: { byStatus: { CapacityUnits: 0.5 } },
    })
    const RequestItems = { [name]: { Keys: [key(1)] } }
    const batch = new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' })
    expect((await client.send(batch)).ConsumedCapacity).toEqual([{ TableName: name, CapacityUnits: 0.5 }])
  })
})
