import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll } from 'vitest'
import { type DynamoDb, startDynamoDb } from '../../src/local/dynamodb/start-dynamodb.ts'
import { LOCAL_CREDENTIALS, RUNS_TABLE } from '../../src/local/stack/environment.ts'
import { createRunsTable } from '../../src/local/stack/runs-table.ts'
import { createDynamoTable } from '../../src/store/dynamo-table.ts'
import type { Item, Table } from '../../src/store/table.ts'

/** A table of runs on a DynamoDB of its own for the tests of one file; it is there once the first test begins. */
export function useDynamoTable(): Table {
  let directory: string
  let server: DynamoDb
  let client: DynamoDBClient
  let table: Table
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'turnwise-store-'))
    server = await startDynamoDb({ directory })
    await createRunsTable(server.url)
    client = new DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials: LOCAL_CREDENTIALS })
    table = createDynamoTable(client, RUNS_TABLE)
  })
  afterAll(async () => {
    client.destroy()
    await server.kill()
    await rm(directory, { recursive: true })
  })
  return {
    get: (...query) => table.get(...query),
    queryPage: (...query) => table.queryPage(...query),
    queryDue: (...query) => table.queryDue(...query),
    put: (...write) => table.put(...write),
    update: (...write) => table.update(...write),
  }
}

/** Every write reaches the table twice and only the second answer arrives, as when the SDK sends again what had no response. */
export const losingResponses = (table: Table): Table => ({
  ...table,
  async put(...write) {
    await table.put(...write)
    return table.put(...write)
  },
  async update(...write) {
    await table.update(...write)
    return table.update(...write)
  },
})

/** Hears of every item that is put. */
export const recordingPuts = (table: Table, heard: Item[]): Table => ({
  ...table,
  put(item, condition) {
    heard.push(item)
    return table.put(item, condition)
  },
})

/** All items of a partition. */
export async function itemsOf(table: Table, pk: string): Promise<readonly Item[]> {
  const items: Item[] = []
  let after: string | undefined
  do {
    const page = await table.queryPage({
      pk,
      from: ' ',
      to: '~',
      consistent: true,
      ...(after !== undefined && { after }),
    })
    items.push(...page.items)
    after = page.after
  } while (after !== undefined)
  return items
}
