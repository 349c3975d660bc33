import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Attributes,
  type FaultyTable,
  open,
  order,
  orderOfSize,
  useFaultyTables,
} from './faulty-table.ts'

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

/** What the table and its index take for what `work` does. */
async function unitsOf(work: () => Promise<unknown>) {
  const { faults, name } = table
  faults.resetConsumed()
  await work()
  const units = faults.consumed()[name]
  return { table: units?.writeUnits ?? 0, index: units?.indexes.byStatus?.writeUnits ?? 0 }
}

const update = (number: number, expression: string, values: Attributes) =>
  table.client.send(
    new UpdateItemCommand({
      TableName: table.name,
      Key: key(number),
      UpdateExpression: expression,
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: values,
    }),
  )

const remove = (number: number) =>
  table.client.send(new DeleteItemCommand({ TableName: table.name, Key: key(number) }))

describe('the write units of a table', () => {
  it.each([
    [1_024, 1],
    [1_025, 2],
    [1_638, 2],
    [310 * 1_024, 310],
  ])('are for a new item of %i bytes %i', async (sizeBytes, units) => {
    expect(await unitsOf(() => table.put(orderOf(1, sizeBytes)))).toEqual({ table: units, index: 0 })
  })

  it('are those of the larger image when an item is put over, updated or deleted', async () => {
    await table.put(orderOf(1, 4_000))
    expect((await unitsOf(() => table.put(orderOf(1, 100)))).table).toBe(4)
    const grow = () => update(1, 'SET #s = :s', { ':s': { S: 'x'.repeat(2_500) } })
    expect((await unitsOf(grow)).table).toBe(3)
    expect((await unitsOf(() => remove(1))).table).toBe(3)
  })

  it('are one for a delete of nothing', async () => {
    expect(await unitsOf(() => remove(1))).toEqual({ table: 1, index: 0 })
  })

  it('are also taken by a write that its condition refuses: those of the larger of what is there and what was to be', async () => {
    const refused = async (item: Attributes) => {
      const input = { TableName: table.name, Item: item, ConditionExpression: 'attribute_exists(nothing)' }
      await expect(table.client.send(new PutItemCommand(input))).rejects.toThrow(
        ConditionalCheckFailedException,
      )
    }
    expect(await unitsOf(() => refused({ ...key(1), ...open(1) }))).toEqual({ table: 1, index: 0 })
    await table.put(orderOf(1, 300 * 1_024))
    expect((await unitsOf(() => refused(orderOf(1, 310 * 1_024)))).table).toBe(310)
    expect((await unitsOf(() => refused(orderOf(1, 100)))).table).toBe(300)
  })

  it('are none when DynamoDB finds the request wrong', async () => {
    const wrong = () => update(1, 'SET nonsense', {}).catch(() => {})
    expect(await unitsOf(wrong)).toEqual({ table: 0, index: 0 })
  })

  it('are rounded up item by item in a batch', async () => {
    const RequestItems = {
      [table.name]: [1, 2, 3].map((number) => ({ PutRequest: { Item: orderOf(number, 1_100) } })),
    }
    const batch = () => table.client.send(new BatchWriteItemCommand({ RequestItems }))
    expect(await unitsOf(batch)).toEqual({ table: 6, index: 0 })
  })
})

describe('the write units of a global secondary index', () => {
  it('are one when an item enters it and one when it leaves', async () => {
    await table.put(key(1))
    const enter = () => update(1, 'SET #s = :s, due = :d', { ':s': { S: 'open' }, ':d': { N: '1' } })
    expect(await unitsOf(enter)).toEqual({ table: 1, index: 1 })
    const leave = async () => {
      const input = { TableName: table.name, Key: key(1), UpdateExpression: 'REMOVE due' }
      await table.client.send(new UpdateItemCommand(input))
    }
    expect(await unitsOf(leave)).toEqual({ table: 1, index: 1 })
  })

  it('are one when an item of it is put anew or deleted', async () => {
    expect((await unitsOf(() => table.put({ ...key(1), ...open(1) }))).index).toBe(1)
    expect((await unitsOf(() => remove(1))).index).toBe(1)
  })

  it('are none when nothing that it projects changes', async () => {
    await table.put({ ...key(1), ...open(1, 'a') })
    const other = () => update(1, 'SET price = :p, #s = :s', { ':p': { N: '5' }, ':s': { S: 'open' } })
    expect(await unitsOf(other)).toEqual({ table: 1, index: 0 })
    const same = { ...key(1), ...open(1, 'a'), due: { N: '1.0' }, price: { N: '6' } }
    expect(await unitsOf(() => table.put(same))).toEqual({ table: 1, index: 0 })
  })

  it('are one when a projected attribute changes, and two when its key does', async () => {
    await table.put({ ...key(1), ...open(1, 'a') })
    const note = () => update(1, 'SET note = :n, #s = :s', { ':n': { S: 'b' }, ':s': { S: 'open' } })
    expect(await unitsOf(note)).toEqual({ table: 1, index: 1 })
    const due = () => update(1, 'SET due = :d, #s = :s', { ':d': { N: '2' }, ':s': { S: 'open' } })
    expect(await unitsOf(due)).toEqual({ table: 1, index: 2 })
  })

  it('go by the size of the entry, not of the item', async () => {
    const item = { ...orderOf(1, 5_000), ...open(1, 'n'.repeat(1_500)) }
    expect(await unitsOf(() => table.put(item))).toEqual({ table: 7, index: 2 })
    const shorter = () => update(1, 'SET note = :n, #s = :s', { ':n': { S: '' }, ':s': { S: 'open' } })
    expect((await unitsOf(shorter)).index).toBe(2)
  })

  it('are none where the item lacks a part of the key', async () => {
    const item = { ...key(1), status: { S: 'open' } }
    expect(await unitsOf(() => table.put(item))).toEqual({ table: 1, index: 0 })
  })
})
