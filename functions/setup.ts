import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { BY_CUSTOMER, type Order } from './resources/orders-table.ts'

/** What the tools read from their environment, on the local stack. */
export const environment = { ORDERS_TABLE: 'orders' }

/** The orders of the example: 520 of them, of 40 customers, the same every time. */
export const exampleOrders: readonly Order[] = Array.from({ length: 520 }, (_, index) => ({
  orderNumber: `A-${1001 + index}`,
  customerId: `C-${String((index % 40) + 1).padStart(2, '0')}`,
  status: (['open', 'shipped', 'delivered'] as const)[(index * 7) % 3] ?? 'open',
  promised: new Date(Date.UTC(2026, 11, 1 + (index % 28))).toISOString().slice(0, 10),
  total: 10 + ((index * 37) % 490) + 0.5,
}))

/** Makes the table of orders and fills it; what is there stays as it is. The local stack runs this before it takes runs. */
export async function setUp(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const client = createClient(env)
  const TableName = env.ORDERS_TABLE
  try {
    if (await isThere(client, TableName)) return
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'orderNumber', AttributeType: 'S' },
          { AttributeName: 'customerId', AttributeType: 'S' },
        ],
        KeySchema: [{ AttributeName: 'orderNumber', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: BY_CUSTOMER,
            KeySchema: [
              { AttributeName: 'customerId', KeyType: 'HASH' },
              { AttributeName: 'orderNumber', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    )
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName })
    for (let start = 0; start < exampleOrders.length; start += 25)
      await write(client, TableName, exampleOrders.slice(start, start + 25))
  } finally {
    client.destroy()
  }
}

async function isThere(client: DynamoDBClient, TableName: string | undefined): Promise<boolean> {
  try {
    await client.send(new DescribeTableCommand({ TableName }))
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return false
    throw error
  }
}

async function write(
  client: DynamoDBClient,
  TableName: string | undefined,
  orders: readonly Order[],
): Promise<void> {
  const requests = orders.map((order) => ({
    PutRequest: {
      Item: {
        orderNumber: { S: order.orderNumber },
        customerId: { S: order.customerId },
        status: { S: order.status },
        promised: { S: order.promised },
        total: { N: String(order.total) },
      },
    },
  }))
  await client.send(new BatchWriteItemCommand({ RequestItems: { [String(TableName)]: requests } }))
}

/** The SDK reads these variables by itself, but from the process's environment only. */
function createClient(env: Readonly<Record<string, string | undefined>>): DynamoDBClient {
  const {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  } = env
  return new DynamoDBClient({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(AWS_ACCESS_KEY_ID !== undefined &&
      AWS_SECRET_ACCESS_KEY !== undefined && {
        credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
      }),
  })
}
