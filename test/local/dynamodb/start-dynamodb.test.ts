import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DynamoDb, startDynamoDb } from '../../../src/local/dynamodb/start-dynamodb.ts'

let directory: string
const started: DynamoDb[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwise-dynamodb-'))
})
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill()
  rmSync(directory, { recursive: true })
})

async function start(): Promise<DynamoDb> {
  const server = await startDynamoDb({ directory })
  started.push(server)
  return server
}

describe('the DynamoDB stand-in', () => {
  it('keeps what it answered for when it is killed, and takes the dead server’s lock over', async () => {
    const first = await start()
    await createTable(first.url)
    await put(first.url, 'a')
    await first.kill()
    expect(readFileSync(join(directory, 'lock.pid'), 'utf8')).toBe(`${first.pid}\n`)

    const second = await start()
    expect(await get(second.url, 'a')).toEqual({ id: { S: 'a' } })
  })

  it('answers what is open before it closes', async () => {
    const first = await start()
    await createTable(first.url)
    const body = JSON.stringify({ TableName: 'things', Item: { id: { S: 'half sent' } } })
    const headers = { ...putHeaders(body), Expect: '100-continue' }
    const open = request(first.url, { method: 'POST', headers })
    open.flushHeaders()
    await once(open, 'continue') // the server has the open request
    open.write(body.slice(0, 10))

    const closed = first.close()
    open.end(body.slice(10))
    const [answer] = (await once(open, 'response')) as [IncomingMessage]
    await closed

    expect(answer.statusCode).toBe(200)
    expect(await get((await start()).url, 'half sent')).toEqual({ id: { S: 'half sent' } })
  })

  it('is refused on the directory of a live server, and names its process', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(
      `Process ${first.pid} works in ${directory} already; two would corrupt it. ` +
        'End that process or choose another directory.',
    )
    await createTable(first.url) // and the first is unharmed
  })

  it('takes no lock file of an earlier version or a reused process id for a live server', async () => {
    writeFileSync(join(directory, 'lock.pid'), `${process.pid}\n`)
    const server = await start()
    expect(readFileSync(join(directory, 'lock.pid'), 'utf8')).toBe(`${server.pid}\n`)
  })

  it('ends when the process that started it is killed', async () => {
    const host = fork(fileURLToPath(new URL('./fixtures/host.ts', import.meta.url)), [directory], {
      execArgv: [],
      env: { PATH: process.env.PATH },
    })
    const [orphan] = (await once(host, 'message')) as [{ url: string; pid: number }]
    await createTable(orphan.url)
    host.kill('SIGKILL')
    const next = await start() // waits for the orphan's last requests
    expect(next.pid).not.toBe(orphan.pid)
    await put(next.url, 'a')
    await expect(fetch(orphan.url)).rejects.toThrow('fetch failed')
  })
})

const client = (endpoint: string) =>
  new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })

async function createTable(url: string): Promise<void> {
  await client(url).send(
    new CreateTableCommand({
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  )
  // A table takes no item while it is being created.
  await waitUntilTableExists(
    { client: client(url), maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 },
    { TableName: 'things' },
  )
}

const putHeaders = (body: string) => ({
  'content-length': body.length,
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.PutItem',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
})

const put = (url: string, id: string) =>
  client(url).send(new PutItemCommand({ TableName: 'things', Item: { id: { S: id } } }))

const get = async (url: string, id: string) =>
  (await client(url).send(new GetItemCommand({ TableName: 'things', Key: { id: { S: id } } }))).Item
