import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  ListTablesCommand,
  ResourceNotFoundException,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { dropReplicas } from '../../../../src/local/dynamodb/faults/drop-replicas.ts'
import { createOrdersTable, order, useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()

describe('the replicas', () => {
  it('show in no list of tables and go with their table', async () => {
    const { client, name, put } = await tables.create()
    await put(order(1))
    const namesSeenBy = async (reader: typeof client) => {
      const { TableNames = [] } = await reader.send(new ListTablesCommand({}))
      return TableNames.filter((each) => each.startsWith(name))
    }
    const direct = tables.direct()
    expect(await namesSeenBy(client)).toEqual([name])
    expect(await namesSeenBy(direct)).toEqual([
      name,
      `${name}.turnwise-index-replica`,
      `${name}.turnwise-replica`,
    ])
    await client.send(new DeleteTableCommand({ TableName: name }))
    await expect.poll(() => namesSeenBy(direct)).toEqual([])
    await expect(put(order(1))).rejects.toThrow(ResourceNotFoundException)
  })

  it('go when the faults are closed, and those that a killed process left when they are dropped', async () => {
    const { name, put, faults } = await tables.create()
    await put(order(1))
    const direct = tables.direct()
    const copies = async () => {
      const { TableNames = [] } = await direct.send(new ListTablesCommand({}))
      return TableNames.filter((each) => each.startsWith(`${name}.`) || each.startsWith('left'))
    }
    expect(await copies()).toHaveLength(2)
    await faults.close()
    await expect.poll(copies).toEqual([])

    await createOrdersTable(direct, 'left')
    await createOrdersTable(direct, 'left.turnwise-replica')
    await dropReplicas(tables.url())
    await expect.poll(copies).toEqual(['left'])
  })

  it('begin with what a table holds that was there before, and nothing of an earlier proxy', async () => {
    const { name, put, client } = await tables.create()
    const numbers = Array.from({ length: 30 }, (_, number) => number)
    await Promise.all(numbers.map((number) => put(order(number))))
    await client.send(new DeleteItemCommand({ TableName: name, Key: order(0) }))

    const later = await tables.start()
    const { Count } = await later.client.send(new ScanCommand({ TableName: name }))
    expect(Count).toBe(29)
  })

  it('get what a batch writes', async () => {
    const { client, name, faults, get } = await tables.create()
    await client.send(
      new BatchWriteItemCommand({
        RequestItems: {
          [name]: [{ PutRequest: { Item: order(1) } }, { DeleteRequest: { Key: order(2) } }],
        },
      }),
    )
    await faults.settle()
    expect(await get(order(1))).toEqual(order(1))
  })

  it('are of the table that was made again under its name', async () => {
    const { client, name, put, get } = await tables.create()
    await put(order(1))
    await client.send(new DeleteTableCommand({ TableName: name }))
    for (;;) {
      const made = await createOrdersTable(client, name).then(
        () => true,
        () => false,
      )
      if (made) break
    }
    expect(await get(order(1))).toBeUndefined()
  })
})

describe('what DynamoDB refuses', () => {
  it('it refuses in its own words', async () => {
    const { client, name, get } = await tables.create()
    await expect(get({ customer: { S: 'ada' } })).rejects.toThrow(
      'The provided key element does not match the schema',
    )
    await expect(client.send(new ScanCommand({ TableName: name, IndexName: 'none' }))).rejects.toThrow(
      'The table does not have the specified index: none',
    )
    await expect(client.send(new ScanCommand({ TableName: 'nowhere' }))).rejects.toThrow(
      ResourceNotFoundException,
    )
  })
})
