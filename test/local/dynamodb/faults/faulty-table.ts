import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AttributeValue,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll } from 'vitest'
import {
  startTableFaults,
  type TableFaults,
  type TableFaultsOptions,
} from '../../../../src/local/dynamodb/faults/start-table-faults.ts'
import { type DynamoDb, startDynamoDb } from '../../../../src/local/dynamodb/start-dynamodb.ts'
import { createManualClock } from '../../../../src/local/manual-clock.ts'
import { LOCAL_CREDENTIALS } from '../../../../src/local/stack/environment.ts'

export type Attributes = Record<string, AttributeValue>

/** A table of orders (`customer`, `number`) behind faults, with an index of the open ones (`status`, `due`) that projects `note`. */
export interface FaultyTable {
  readonly name: string
  readonly faults: TableFaults
  readonly client: DynamoDBClient
  advance(ms: number): void
  put(item: Attributes): Promise<unknown>
  get(key: Attributes, options?: { consistent: boolean }): Promise<Attributes | undefined>
  /** The numbers of the orders that the index has with this status. */
  numbersWith(status: string): Promise<(string | undefined)[]>
}

/** The key of an order. */
export const order = (number: number, customer = 'ada'): Attributes => ({
  customer: { S: customer },
  number: { N: String(number) },
})

/** An order of a customer with three letters that has so many bytes: names and values of its key take 8 + 3 and 6 + 2. */
export const orderOfSize = (number: number, sizeBytes: number, customer: string): Attributes => ({
  ...order(number, customer),
  text: { S: 'x'.repeat(sizeBytes - 19 - 4) },
})

/** What an open order has besides. */
export const open = (due: number, note = ''): Attributes => ({
  status: { S: 'open' },
  due: { N: String(due) },
  note: { S: note },
})

/** A DynamoDB for the tests of one file, and proxies before it. */
export function useFaultyTables() {
  let directory: string
  let server: DynamoDb
  let tables = 0
  const ends: (() => Promise<void> | void)[] = []
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'turnwise-faults-'))
    server = await startDynamoDb({ directory })
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await server.kill()
    await rm(directory, { recursive: true })
  })

  function connect(endpoint: string): DynamoDBClient {
    const client = new DynamoDBClient({
      endpoint,
      region: 'us-east-1',
      credentials: LOCAL_CREDENTIALS,
      maxAttempts: 1,
    })
    ends.push(() => client.destroy())
    return client
  }
  async function start(options: Partial<TableFaultsOptions> = {}) {
    const clock = createManualClock()
    const faults = await startTableFaults({ target: server.url, seed: 1, clock, freshReads: 0, ...options })
    ends.push(() => faults.close())
    return { faults, client: connect(faults.url), advance: clock.advance }
  }

  return {
    /** The client of the DynamoDB itself, past the faults. */
    direct: () => connect(server.url),
    url: () => server.url,
    start,
    /** Reads that are not consistent always go to the replica, unless the options say otherwise. */
    async create(options: Partial<TableFaultsOptions> & { name?: string } = {}): Promise<FaultyTable> {
      const { name = `orders-${++tables}`, ...rest } = options
      const { faults, client, advance } = await start(rest)
      await createOrdersTable(client, name)
      return {
        name,
        faults,
        client,
        advance,
        put: (Item) => client.send(new PutItemCommand({ TableName: name, Item })),
        async get(Key, { consistent } = { consistent: false }) {
          const input = { TableName: name, Key, ConsistentRead: consistent }
          return (await client.send(new GetItemCommand(input))).Item
        },
        async numbersWith(status) {
          const { Items = [] } = await client.send(new QueryCommand(queryStatus(name, status)))
          return Items.map(({ number }) => number?.N)
        },
      }
    },
  }
}

export const queryStatus = (TableName: string, status: string) => ({
  TableName,
  IndexName: 'byStatus',
  KeyConditionExpression: '#s = :s',
  ExpressionAttributeNames: { '#s': 'status' },
  ExpressionAttributeValues: { ':s': { S: status } },
})

/** Does nothing when the table is there. */
export async function createOrdersTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'customer', AttributeType: 'S' },
        { AttributeName: 'number', AttributeType: 'N' },
        { AttributeName: 'status', AttributeType: 'S' },
        { AttributeName: 'due', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'customer', KeyType: 'HASH' },
        { AttributeName: 'number', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byStatus',
          KeySchema: [
            { AttributeName: 'status', KeyType: 'HASH' },
            { AttributeName: 'due', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
        },
      ],
    }),
  )
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    if (Table?.TableStatus === 'ACTIVE') return
  }
}
