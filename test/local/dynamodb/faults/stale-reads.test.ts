import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DeleteTableCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { type FaultyTable, open, order, queryStatus, useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()

const setPrice = ({ client, name }: FaultyTable, number: number, price: number) =>
  client.send(
    new UpdateItemCommand({
      TableName: name,
      Key: order(number),
      UpdateExpression: 'SET price = :t',
      ExpressionAttributeValues: { ':t': { N: String(price) } },
    }),
  )

const queryOrders = (TableName: string) => ({
  TableName,
  KeyConditionExpression: 'customer = :c',
  ExpressionAttributeValues: { ':c': { S: 'ada' } },
})

/** How many of six new orders a scan sees, every 250 ms. */
async function arrivals(seed: number): Promise<(number | undefined)[]> {
  const { client, name, put, advance } = await tables.create({ seed, name: 'arrivals' })
  await Promise.all([1, 2, 3, 4, 5, 6].map((number) => put(order(number))))
  const seen: (number | undefined)[] = []
  for (let waitedMs = 0; waitedMs <= 2_000; waitedMs += 250) {
    seen.push((await client.send(new ScanCommand({ TableName: name }))).Count)
    advance(250)
  }
  await client.send(new DeleteTableCommand({ TableName: name }))
  return seen
}

describe('a read that is not marked consistent', () => {
  it('sees an item as it was, for two seconds at most, and a consistent one sees it as it is', async () => {
    const table = await tables.create()
    await table.put({ ...order(1), price: { N: '1' } })
    await table.faults.settle()
    await setPrice(table, 1, 2)
    expect((await table.get(order(1)))?.price).toEqual({ N: '1' })
    expect((await table.get(order(1), { consistent: true }))?.price).toEqual({ N: '2' })
    table.advance(2_000)
    expect((await table.get(order(1)))?.price).toEqual({ N: '2' })
  })

  it('still sees an item that was deleted, and not yet one that is new', async () => {
    const table = await tables.create()
    await table.put(order(1))
    await table.faults.settle()
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: order(1) }))
    await table.put(order(2))
    expect(await table.get(order(1))).toEqual(order(1))
    expect(await table.get(order(2))).toBeUndefined()
    table.advance(2_000)
    expect(await table.get(order(1))).toBeUndefined()
    expect(await table.get(order(2))).toEqual(order(2))
  })

  it('never sees an older version after a newer one', async () => {
    const table = await tables.create({ name: 'versions', seed: 4 }) // whose lags differ enough
    const seen: number[] = []
    for (let price = 1; price <= 8; price += 1) {
      await setPrice(table, 1, price)
      table.advance(250)
      seen.push(Number((await table.get(order(1)))?.price?.N ?? 0))
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(new Set(seen).size).toBeGreaterThan(2)
    expect(seen.at(-1)).toBeLessThan(8)
  })

  it('may see an older version again when some reads are fresh', async () => {
    const table = await tables.create({ freshReads: 0.5 })
    await table.put({ ...order(1), price: { N: '1' } })
    await table.faults.settle()
    await setPrice(table, 1, 2)
    const seen: (string | undefined)[] = []
    for (let read = 0; read < 12; read += 1) seen.push((await table.get(order(1)))?.price?.N)
    expect(seen.join('')).toMatch(/21/)
  })

  it('is stale as a query, a scan and a batch too, each under the name of the table', async () => {
    const { client, name, put, advance } = await tables.create()
    await put(order(1))
    const query = (consistent: boolean) =>
      client.send(new QueryCommand({ ...queryOrders(name), ConsistentRead: consistent }))
    const scan = (consistent: boolean) =>
      client.send(new ScanCommand({ TableName: name, ConsistentRead: consistent }))
    const batch = async (consistent: boolean) => {
      const RequestItems = { [name]: { Keys: [order(1)], ConsistentRead: consistent } }
      return (await client.send(new BatchGetItemCommand({ RequestItems }))).Responses
    }
    expect([(await query(false)).Items, (await query(true)).Items]).toEqual([[], [order(1)]])
    expect([(await scan(false)).Items, (await scan(true)).Items]).toEqual([[], [order(1)]])
    expect([await batch(false), await batch(true)]).toEqual([{ [name]: [] }, { [name]: [order(1)] }])
    advance(2_000)
    expect((await query(false)).Items).toEqual([order(1)])
    expect((await scan(false)).Items).toEqual([order(1)])
    expect(await batch(false)).toEqual({ [name]: [order(1)] })
  })

  it('pages, filters and projects as DynamoDB does', async () => {
    const { client, name, put, faults } = await tables.create()
    for (const number of [1, 2, 3]) await put({ ...order(number), price: { N: String(number) } })
    await faults.settle()
    const input = {
      ...queryOrders(name),
      Limit: 2,
      ProjectionExpression: 'price',
      FilterExpression: 'price > :one',
      ExpressionAttributeValues: { ':c': { S: 'ada' }, ':one': { N: '1' } },
    }
    const first = await client.send(new QueryCommand(input))
    const second = await client.send(
      new QueryCommand({ ...input, ExclusiveStartKey: first.LastEvaluatedKey }),
    )
    expect([first.Items, second.Items]).toEqual([[{ price: { N: '2' } }], [{ price: { N: '3' } }]])
    expect(first.LastEvaluatedKey).toEqual(order(2))
  })
})

describe('the lag', () => {
  it('is the same for the same seed, another for another, and 0 to 2 s', async () => {
    const first = await arrivals(1)
    expect(await arrivals(1)).toEqual(first)
    expect(await arrivals(2)).not.toEqual(first)
    expect(first.at(-1)).toBe(6)
    expect(new Set(first).size).toBeGreaterThan(2)
  })

  it('is nothing when it may be nothing', async () => {
    const table = await tables.create({ maximumLagMs: 0, maximumIndexLagMs: 0 })
    await table.put({ ...order(1), status: { S: 'open' }, due: { N: '1' } })
    expect((await table.get(order(1)))?.due).toEqual({ N: '1' })
    expect(await table.numbersWith('open')).toEqual(['1'])
  })
})

describe('a global secondary index', () => {
  it('is late on its own, also where reads of the table are fresh', async () => {
    const table = await tables.create({ freshReads: 1 })
    await table.put({ ...order(1), ...open(1) })
    expect(await table.get(order(1))).toEqual({ ...order(1), ...open(1) })
    expect(await table.numbersWith('open')).toEqual([])
    table.advance(2_000)
    expect(await table.numbersWith('open')).toEqual(['1'])
  })

  it('may know of an item before a read of the table does', async () => {
    const table = await tables.create({ maximumIndexLagMs: 0 })
    await table.put({ ...order(1), ...open(1) })
    expect(await table.numbersWith('open')).toEqual(['1'])
    expect(await table.get(order(1))).toBeUndefined()
  })

  it('still has an item that left it', async () => {
    const table = await tables.create()
    await table.put({ ...order(1), ...open(1) })
    await table.faults.settle()
    await table.put(order(1))
    expect(await table.numbersWith('open')).toEqual(['1'])
    table.advance(2_000)
    expect(await table.numbersWith('open')).toEqual([])
  })

  it('is read consistently by nobody', async () => {
    const { client, name } = await tables.create()
    const query = new QueryCommand({ ...queryStatus(name, 'open'), ConsistentRead: true })
    const scan = new ScanCommand({ TableName: name, IndexName: 'byStatus', ConsistentRead: true })
    const refusal = 'Consistent reads are not supported on global secondary indexes'
    await expect(client.send(query)).rejects.toThrow(refusal)
    await expect(client.send(scan)).rejects.toThrow(refusal)
  })
})

describe('a conditional write', () => {
  it('is judged by the newest state, whatever reads say', async () => {
    const { client, name, put, get } = await tables.create()
    const create = { TableName: name, Item: order(1), ConditionExpression: 'attribute_not_exists(customer)' }
    await put(order(1))
    expect(await get(order(1))).toBeUndefined()
    await expect(client.send(new PutItemCommand(create))).rejects.toThrow(ConditionalCheckFailedException)
  })

  it('is one writer’s when ten try at once', async () => {
    const { client, name } = await tables.create()
    const ends = await Promise.allSettled(
      Array.from({ length: 10 }, (_, writer) =>
        client.send(
          new PutItemCommand({
            TableName: name,
            Item: { ...order(1), writer: { N: String(writer) } },
            ConditionExpression: 'attribute_not_exists(customer)',
          }),
        ),
      ),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
