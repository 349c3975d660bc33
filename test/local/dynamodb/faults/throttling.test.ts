import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  ProvisionedThroughputExceededException,
  QueryCommand,
  ThrottlingException,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Attributes, type FaultyTable, order, queryStatus, useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()
const KB = 1_024
/** Its partitions give 10 write units a second, and 30 read units. */
let table: FaultyTable
/** Each test has a partition of the table and one of the index of its own, by this name. */
let customer: string

beforeAll(async () => {
  table = await tables.create({ writeUnitsPerSecond: 10, readUnitsPerSecond: 30 })
})
beforeEach(({ task }) => {
  customer = task.id
})

/** An order that takes so many write units. */
const heavy = (number: number, units: number, of = customer): Attributes => ({
  ...order(number, of),
  text: { S: 'x'.repeat(units * KB - 100) },
})
/** An order of another customer each that takes so many write units of the table and of the test's partition of the index. */
const heavyEntry = (number: number, units: number): Attributes => ({
  ...order(number, `${customer} ${number}`),
  status: { S: customer },
  due: { N: '1' },
  note: { S: 'x'.repeat(units * KB - 100) },
})

/** Takes 9 units of the test's partition. */
const heat = () => table.put(heavy(1, 9))

const arn = (name: string) => expect.stringMatching(new RegExp(`^arn:aws:dynamodb:.*:table/${name}$`))

describe('a partition of a table', () => {
  it('takes 1,000 write units in a second and refuses what is over, which is not written', async () => {
    const logged: string[] = []
    const large = await tables.create({ log: (line) => logged.push(line) })
    for (const number of [1, 2, 3]) await large.put(heavy(number, 330))
    await large.put(heavy(4, 10))
    const error = await large.put(order(5, customer)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ThrottlingException)
    expect(error).toMatchObject({
      message:
        'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded', resource: arn(large.name) }],
      $metadata: { httpStatusCode: 400 },
    })
    expect(await large.get(order(5, customer), { consistent: true })).toBeUndefined()
    expect(large.faults.consumed()[large.name]?.writeUnits).toBe(1_000)
    expect(logged).toEqual([
      expect.stringMatching(/^\[fault\] a write of \["orders-\d+",null,".+"\] is throttled$/),
    ])
    large.advance(1)
    await large.put(order(5, customer))
  })

  it('has units again as time goes, and never more than those of a second', async () => {
    await heat()
    await expect(table.put(heavy(2, 2))).rejects.toThrow(ThrottlingException)
    table.advance(100)
    await table.put(heavy(2, 2))
    await expect(table.put(order(3, customer))).rejects.toThrow(ThrottlingException)
    table.advance(60_000)
    await heat()
    await expect(table.put(heavy(2, 2))).rejects.toThrow(ThrottlingException)
  })

  it('leaves another partition alone', async () => {
    await heat()
    await expect(table.put(heavy(2, 2))).rejects.toThrow(ThrottlingException)
    await table.put(heavy(2, 2, `${customer} b`))
  })

  it('refuses updates and deletes by what they would write', async () => {
    await heat()
    const input = { TableName: table.name, Key: order(1, customer) }
    await expect(table.client.send(new DeleteItemCommand(input))).rejects.toThrow(ThrottlingException)
    const update = { ...input, UpdateExpression: 'REMOVE price' }
    await expect(table.client.send(new UpdateItemCommand(update))).rejects.toThrow(ThrottlingException)
  })

  it('gives nothing until it has made up for an update that wrote more than was known before', async () => {
    await heat()
    const grow = {
      TableName: table.name,
      Key: order(2, customer),
      UpdateExpression: 'SET price = :p',
      ExpressionAttributeValues: { ':p': { S: 'x'.repeat(3 * KB) } },
    }
    await table.client.send(new UpdateItemCommand(grow)) // one unit was left, it takes 4
    table.advance(399)
    await expect(table.put(order(3, customer))).rejects.toThrow(ThrottlingException)
    table.advance(1)
    await table.put(order(3, customer))
  })

  it('gives what is over in a batch back as unprocessed, and refuses a batch that is all over', async () => {
    await heat()
    const batchOf = (...items: Attributes[]) =>
      table.client.send(
        new BatchWriteItemCommand({
          RequestItems: { [table.name]: items.map((Item) => ({ PutRequest: { Item } })) },
        }),
      )
    const { UnprocessedItems } = await batchOf(heavy(2, 2), heavy(2, 2, `${customer} b`))
    expect(UnprocessedItems).toEqual({ [table.name]: [{ PutRequest: { Item: heavy(2, 2) } }] })
    expect(await table.get(order(2, customer), { consistent: true })).toBeUndefined()
    expect(await table.get(order(2, `${customer} b`), { consistent: true })).toEqual(
      heavy(2, 2, `${customer} b`),
    )
    await expect(batchOf(heavy(2, 2))).rejects.toThrow(ThrottlingException)
  })

  it('gives as many units when many write at once', async () => {
    const ends = await Promise.allSettled(
      Array.from({ length: 16 }, (_, number) => table.put(order(number, customer))),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  })

  it('gives read units to gets and queries', async () => {
    const { client, name, get } = table
    await table.put(heavy(1, 10))
    const query = new QueryCommand({
      TableName: name,
      KeyConditionExpression: '#c = :c',
      ExpressionAttributeNames: { '#c': 'customer' },
      ExpressionAttributeValues: { ':c': { S: customer } },
      ConsistentRead: true,
    })
    for (let units = 0; units < 30; units += 3) await client.send(query)
    await expect(get(order(1, customer))).rejects.toMatchObject({
      name: 'ThrottlingException',
      throttlingReasons: [{ reason: 'TableReadKeyRangeThroughputExceeded', resource: arn(name) }],
    })
    await expect(client.send(query)).rejects.toThrow(ThrottlingException)
    await get(order(1, `${customer} b`))
    table.advance(1_000)
    await client.send(query)
  })
})

describe('a partition of a global secondary index', () => {
  it('refuses writes of other partitions of the table that it cannot take', async () => {
    await table.put(heavyEntry(1, 9))
    const error = await table.put(heavyEntry(2, 2)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      name: 'ThrottlingException',
      message:
        'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.',
      throttlingReasons: [
        { reason: 'IndexWriteKeyRangeThroughputExceeded', resource: arn(`${table.name}/index/byStatus`) },
      ],
    })
    expect(await table.get(order(2, `${customer} 2`), { consistent: true })).toBeUndefined()
    await table.put(heavy(2, 2, `${customer} 2`)) // is in no index
  })

  it('refuses an update that touches what it projects, and no other', async () => {
    await table.put(heavyEntry(1, 2))
    await table.put(heavyEntry(2, 8))
    const update = (name: string) =>
      table.client.send(
        new UpdateItemCommand({
          TableName: table.name,
          Key: order(1, `${customer} 1`),
          UpdateExpression: 'SET #n = :v',
          ExpressionAttributeNames: { '#n': name },
          ExpressionAttributeValues: { ':v': { S: 'v' } },
        }),
      )
    await expect(update('note')).rejects.toThrow(ThrottlingException)
    await update('price')
  })

  it('refuses reads of its own', async () => {
    const { client, name, put, get, faults } = table
    await put(heavyEntry(1, 10))
    await faults.settle()
    const query = new QueryCommand(queryStatus(name, customer))
    for (let units = 0; units < 30; units += 1.5) await client.send(query)
    await expect(client.send(query)).rejects.toMatchObject({
      throttlingReasons: [{ reason: 'IndexReadKeyRangeThroughputExceeded' }],
    })
    await get(order(1, `${customer} 1`))
  })
})

describe('a table of provisioned units', () => {
  it('refuses with the error of provisioned tables', async () => {
    const provisioned = await tables.create({ writeUnitsPerSecond: 10 })
    const ProvisionedThroughput = { ReadCapacityUnits: 3_000, WriteCapacityUnits: 1_000 }
    await provisioned.client.send(
      new UpdateTableCommand({
        TableName: provisioned.name,
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput,
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'byStatus', ProvisionedThroughput } }],
      }),
    )
    await provisioned.put(heavy(1, 9))
    const error = await provisioned.put(heavy(2, 2)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProvisionedThroughputExceededException)
    expect(error).toMatchObject({
      ThrottlingReasons: [
        { reason: 'TableWriteKeyRangeThroughputExceeded', resource: arn(provisioned.name) },
      ],
    })
  })
})
