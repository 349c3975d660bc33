import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, InternalServerError, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  startTableFaults,
  type TableFaults,
} from '../../../../src/local/dynamodb/faults/start-table-faults.ts'
import { type DynamoDb, startDynamoDb } from '../../../../src/local/dynamodb/start-dynamodb.ts'
import { type Fault, type FaultProxy, startProxy } from '../../../../src/local/fault-proxy.ts'
import { createManualClock } from '../../../../src/local/manual-clock.ts'
import { LOCAL_CREDENTIALS } from '../../../../src/local/stack/environment.ts'
import { createOrdersTable, order } from './faulty-table.ts'

const clock = createManualClock()
let TableName = ''
let directory: string
let server: DynamoDb
/** What happens to the next PutItem between the faults and DynamoDB. */
let between: Fault | undefined
let middle: FaultProxy
let faults: TableFaults
let client: DynamoDBClient

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnwise-faults-'))
  server = await startDynamoDb({ directory })
  middle = await startProxy({
    target: () => server.url,
    on: ({ target }) => {
      if (!target?.endsWith('.PutItem')) return undefined
      const fault = between
      between = undefined
      return fault
    },
  })
  faults = await startTableFaults({ target: middle.url, seed: 1, clock, freshReads: 0 })
  client = new DynamoDBClient({
    endpoint: faults.url,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
    maxAttempts: 1,
  })
})
beforeEach(async ({ task }) => {
  TableName = `orders-${task.id}`
  await createOrdersTable(client, TableName)
})
afterAll(async () => {
  client.destroy()
  await faults.close()
  await middle.close()
  await server.kill()
  await rm(directory, { recursive: true })
})

const put = (number: number) => client.send(new PutItemCommand({ TableName, Item: order(number) }))
const count = async (ConsistentRead = false) =>
  (await client.send(new ScanCommand({ TableName, ConsistentRead }))).Count

describe('when the DynamoDB behind the faults', () => {
  it('is killed and comes again elsewhere, what was on its way to the replicas still comes', async () => {
    await put(1)
    await server.kill()
    await expect(put(2)).rejects.toThrow(InternalServerError)
    await expect(put(2)).rejects.toThrow('The proxy before DynamoDB failed: Error: socket hang up')
    clock.advance(1_000) // a copy may be tried, in vain
    server = await startDynamoDb({ directory })
    await put(2)
    clock.advance(2_000)
    expect(await count()).toBe(2)
  })

  it('breaks off after it wrote, the replicas are made anew with what it wrote', async () => {
    await put(1)
    between = { kind: 'lose-response' }
    await expect(put(2)).rejects.toThrow(InternalServerError)
    expect([await count(), await count(true)]).toEqual([2, 2])
    await put(3)
    expect([await count(), await count(true)]).toEqual([2, 3])
  })

  it('breaks off before it wrote, the replicas have no more than it has', async () => {
    between = { kind: 'refuse' }
    await expect(put(1)).rejects.toThrow(InternalServerError)
    expect([await count(), await count(true)]).toEqual([0, 0])
  })
})
