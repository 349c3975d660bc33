import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { LOCAL_CREDENTIALS } from '../../../src/local/stack/environment.ts'

export const ORDERS_TABLE = 'orders'

/** The orders that the fixture's tools refund. */
export interface Orders {
  add(orderNumber: string): Promise<void>
  /** How often the order was refunded, as the table counts. */
  refundsOf(orderNumber: string): Promise<number>
}

/** Makes the table of orders, and reads and writes it past the project's tools. */
export async function createOrders(endpoint: string): Promise<Orders> {
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS })
  const TableName = ORDERS_TABLE
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'orderNumber', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'orderNumber', KeyType: 'HASH' }],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName })
  return {
    async add(orderNumber) {
      const Item = { orderNumber: { S: orderNumber }, total: { N: '25' } }
      await client.send(new PutItemCommand({ TableName, Item }))
    },
    async refundsOf(orderNumber) {
      const Key = { orderNumber: { S: orderNumber } }
      const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
      return Number(Item?.refunds?.N ?? 0)
    },
  }
}
