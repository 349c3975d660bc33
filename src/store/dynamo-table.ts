import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { createExpression } from './expression.ts'
import type { Attribute, Attributes, Item, Table } from './table.ts'

/** The index of open runs: shard → lookAt. */
export const OPEN_RUNS_INDEX = 'openRuns'

/** The table over DynamoDB's own client. Values are the five attribute types of `Attribute`; no marshaller takes part. */
export function createDynamoTable(client: DynamoDBClient, tableName: string): Table {
  return {
    async get({ pk, sk }, { consistent }) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: encode({ pk, sk }), ConsistentRead: consistent }),
      )
      return Item && decodeItem(Item)
    },

    async queryPage({ pk, from, to, after, consistent }) {
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: encode({ ':pk': pk, ':from': from, ':to': to }),
          ConsistentRead: consistent,
          ...(after !== undefined && { ExclusiveStartKey: encode({ pk, sk: after }) }),
        }),
      )
      const last = answer.LastEvaluatedKey?.sk?.S
      return { items: (answer.Items ?? []).map(decodeItem), ...(last !== undefined && { after: last }) }
    },

    async queryDue({ shard, dueAt, limit }) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: OPEN_RUNS_INDEX,
          KeyConditionExpression: 'openShard = :shard AND lookAt <= :dueAt',
          ExpressionAttributeValues: encode({ ':shard': shard, ':dueAt': dueAt }),
          Limit: limit,
        }),
      )
      return Items.map(decodeItem)
    },

    async put(item, condition) {
      const expression = createExpression()
      const input = condition && {
        ConditionExpression: expression.condition(condition),
        ...names(expression),
      }
      return unlessRefused(false, async () => {
        await client.send(new PutItemCommand({ TableName: tableName, Item: encode(item), ...input }))
        return true
      })
    },

    async update({ pk, sk }, change, condition) {
      const expression = createExpression()
      const input = {
        TableName: tableName,
        Key: encode({ pk, sk }),
        UpdateExpression: expression.change(change),
        ...(condition && { ConditionExpression: expression.condition(condition) }),
        ...names(expression),
        ReturnValues: 'UPDATED_NEW' as const,
      }
      return unlessRefused(undefined, async () => {
        const { Attributes = {} } = await client.send(new UpdateItemCommand(input))
        return decode(Attributes)
      })
    },
  }
}

function names(expression: ReturnType<typeof createExpression>) {
  const values = expression.values()
  return {
    ExpressionAttributeNames: expression.names(),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: encode(values) }),
  }
}

async function unlessRefused<T>(refused: T, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return refused
    throw error
  }
}

function encode(attributes: Attributes): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, encodeAttribute(value)]))
}

function encodeAttribute(value: Attribute): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  const members = [...value]
  const numbers = members.filter((member) => typeof member === 'number')
  return numbers.length > 0 ? { NS: numbers.map(String) } : { SS: members.map(String) }
}

function decode(attributes: Record<string, AttributeValue>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, decodeAttribute(name, value)]),
  )
}

function decodeAttribute(name: string, value: AttributeValue): Attribute {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return Number(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.SS !== undefined) return new Set(value.SS)
  if (value.NS !== undefined) return new Set(value.NS.map(Number))
  throw new Error(`The table holds "${name}" as ${Object.keys(value).join()}, which nothing here writes`)
}

function decodeItem(attributes: Record<string, AttributeValue>): Item {
  const { pk, sk, ...rest } = decode(attributes)
  return { pk: String(pk), sk: String(sk), ...rest }
}
