import { resource } from 'turnwise'
import * as z from 'zod'

export const Order = z.object({
  orderNumber: z.string(),
  customerId: z.string(),
  status: z.enum(['open', 'shipped', 'delivered', 'refunded']),
  /** The day it was promised for. */
  promised: z.iso.date(),
  /** In euros. */
  total: z.number(),
})
export type Order = z.infer<typeof Order>

/** The index that finds the orders of a customer. */
export const BY_CUSTOMER = 'byCustomer'

/** The table of orders. DynamoDB's client is loaded when a tool first asks for it. */
export const ordersTable = resource({
  name: 'orders-table',
  async open({ env, signal }) {
    const { DynamoDBClient, GetItemCommand, QueryCommand, UpdateItemCommand } = await import(
      '@aws-sdk/client-dynamodb'
    )
    const client = new DynamoDBClient({})
    const TableName = env.ORDERS_TABLE
    const abort = { abortSignal: signal }
    return {
      async find(orderNumber: string): Promise<Order | undefined> {
        const { Item } = await client.send(
          new GetItemCommand({ TableName, Key: { orderNumber: { S: orderNumber } }, ConsistentRead: true }),
          abort,
        )
        return Item && readOrder(Item)
      },

      async ofCustomer(customerId: string): Promise<Order[]> {
        const { Items = [] } = await client.send(
          new QueryCommand({
            TableName,
            IndexName: BY_CUSTOMER,
            KeyConditionExpression: 'customerId = :customer',
            ExpressionAttributeValues: { ':customer': { S: customerId } },
          }),
          abort,
        )
        return Items.map(readOrder)
      },

      /** Refunds an order that is there, once; a repeat under the same key finds its own refund. False: refunded under another key. */
      async refund(orderNumber: string, { key, reason }: { key: string; reason: string }): Promise<boolean> {
        try {
          await client.send(
            new UpdateItemCommand({
              TableName,
              Key: { orderNumber: { S: orderNumber } },
              UpdateExpression:
                'SET #status = :refunded, refundKey = :key, refundReason = :reason ADD refunds :one',
              ConditionExpression: 'attribute_exists(orderNumber) AND attribute_not_exists(refundKey)',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':refunded': { S: 'refunded' },
                ':key': { S: key },
                ':reason': { S: reason },
                ':one': { N: '1' },
              },
            }),
            abort,
          )
          return true
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error
          const { Item } = await client.send(
            new GetItemCommand({ TableName, Key: { orderNumber: { S: orderNumber } }, ConsistentRead: true }),
            abort,
          )
          return Item?.refundKey?.S === key
        }
      },

      close: () => client.destroy(),
    }
  },
  close: (table) => table.close(),
})

type Attributes = Record<string, { readonly S?: string; readonly N?: string }>

function readOrder({ orderNumber, customerId, status, promised, total }: Attributes): Order {
  return Order.parse({
    orderNumber: orderNumber?.S,
    customerId: customerId?.S,
    status: status?.S,
    promised: promised?.S,
    total: Number(total?.N),
  })
}
