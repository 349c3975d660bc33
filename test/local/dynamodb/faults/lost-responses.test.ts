import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { type FaultyTable, order, useFaultyTables } from './faulty-table.ts'

const tables = useFaultyTables()
const UNKNOWN = /socket hang up|ECONNRESET/

/** An order made by a writer who finds its own write again. */
const create = ({ client, name }: FaultyTable, number: number, writer: string) =>
  client.send(
    new PutItemCommand({
      TableName: name,
      Item: { ...order(number), writer: { S: writer } },
      ConditionExpression: 'attribute_not_exists(customer) OR writer = :w',
      ExpressionAttributeValues: { ':w': { S: writer } },
    }),
  )

describe('an answer that is lost', () => {
  it('leaves what was written and counted, and breaks the connection', async () => {
    const logged: string[] = []
    const table = await tables.create({ loseResponses: 1, log: (line) => logged.push(line) })
    await expect(create(table, 1, 'a')).rejects.toThrow(UNKNOWN)
    expect(logged).toEqual([
      `[fault] ${table.name}: the answer to PutItem of {"customer":{"S":"ada"},"number":{"N":"1"}} is lost`,
    ])
    expect((await table.get(order(1), { consistent: true }))?.writer).toEqual({ S: 'a' })
    expect(table.faults.consumed()[table.name]?.writeUnits).toBe(1)
  })

  it('is lost for updates and batches too, and never for a refusal', async () => {
    const table = await tables.create({ loseResponses: 1 })
    const { client, name } = table
    const update = {
      TableName: name,
      Key: order(1),
      UpdateExpression: 'SET writer = :w',
      ExpressionAttributeValues: { ':w': { S: 'a' } },
    }
    await expect(client.send(new UpdateItemCommand(update))).rejects.toThrow(UNKNOWN)
    const RequestItems = { [name]: [{ PutRequest: { Item: order(2) } }] }
    await expect(client.send(new BatchWriteItemCommand({ RequestItems }))).rejects.toThrow(UNKNOWN)
    expect(await table.get(order(2), { consistent: true })).toEqual(order(2))
    await expect(create(table, 1, 'b')).rejects.toThrow('The conditional request failed')
  })

  it('lets a writer who repeats its write find it, and refuses another', async () => {
    const table = await tables.create({ loseResponses: 0.5 })
    let lost = 0
    for (let number = 1; number <= 10; number += 1) {
      for (;;) {
        const written = await create(table, number, 'a').catch(() => undefined)
        if (written) break
        lost += 1
      }
      await expect(create(table, number, 'b')).rejects.toThrow('The conditional request failed')
    }
    expect(lost).toBeGreaterThan(2)
  })

  it('is the same for the same seed and another for another, and none when none is to be lost', async () => {
    const lostWith = async (seed: number, loseResponses: number, name: string) => {
      const table = await tables.create({ seed, loseResponses, name })
      const numbers = Array.from({ length: 12 }, (_, number) => number)
      const ends = await Promise.allSettled(numbers.map((number) => create(table, number, 'a')))
      await table.client.send(new DeleteTableCommand({ TableName: name }))
      return ends.map(({ status }) => (status === 'rejected' ? 'x' : '.')).join('')
    }
    const first = await lostWith(1, 0.5, 'lossy')
    expect(first).toMatch(/x.*\.|\..*x/)
    expect(await lostWith(1, 0.5, 'lossy')).toBe(first)
    expect(await lostWith(2, 0.5, 'lossy')).not.toBe(first)
    expect(await lostWith(1, 0, 'never')).toBe('............')
  })

  it('is a share from 0 to 1', async () => {
    await expect(tables.start({ loseResponses: 2 })).rejects.toThrow(
      'loseResponses is a share from 0 to 1, not 2',
    )
  })
})
