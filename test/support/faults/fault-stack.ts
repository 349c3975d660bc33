import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  startTableFaults,
  type TableFaultsOptions,
} from '../../../src/local/dynamodb/faults/start-table-faults.ts'
import { startDynamoDb } from '../../../src/local/dynamodb/start-dynamodb.ts'
import { type Fault, type ProxiedRequest, startProxy } from '../../../src/local/fault-proxy.ts'
import type { ModelServer } from '../../../src/local/models/model-server.ts'
import { LOCAL_CREDENTIALS, RUNS_TABLE } from '../../../src/local/stack/environment.ts'
import { createDynamoTable } from '../../../src/store/dynamo-table.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { copyProject, createGatewayClient, type GatewayClient } from '../test-project.ts'
import type { Service } from './name-request.ts'
import { createOrders, ORDERS_TABLE, type Orders } from './orders.ts'
import type { HostOptions } from './stack-host.ts'
import { type StackHost, startStackHost } from './start-stack-host.ts'

export interface FaultStack {
  /** The project's directory; its processes bear it in their command lines. */
  readonly directory: string
  /** Reads the table past the proxies, also while nothing else runs. */
  readonly store: Store
  readonly orders: Orders
  /** The last lines that the stack and its functions printed. */
  readonly logged: readonly string[]
  gateway(): GatewayClient
  /** SIGKILL to every process of the stack, then to the table's server, once it has answered what is open. */
  kill(): Promise<void>
  /** Starts all again on what is on disk. */
  start(): Promise<void>
  close(): Promise<void>
}

export interface FaultStackOptions {
  readonly model: ModelServer
  /** Decides what happens to a request of the gateway or of a function. */
  readonly on: (service: Service, request: ProxiedRequest) => Fault | undefined
  readonly stack: HostOptions['stack']
  /** What the table does that AWS's may do beside losing answers; default nothing. */
  readonly tableFaults?: Omit<TableFaultsOptions, 'target'>
}

/** The refunds project on its stack, in a process group of its own, with a proxy before the table, Lambda and the model. */
export async function startFaultStack({
  model,
  on,
  stack,
  tableFaults,
}: FaultStackOptions): Promise<FaultStack> {
  const project = await copyProject('test/fixtures/refunds/functions')
  const logged: string[] = []
  let lambdaUrl = Promise.withResolvers<string>()
  let table = startTable()
  let host: StackHost | undefined

  const modelOrigin = new URL(model.url).origin
  const bareTableUrl = async () => (await table).url
  const faultyTable = tableFaults && (await startTableFaults({ ...tableFaults, target: bareTableUrl }))
  // Nobody may go past it: what it does not see written never reaches its late copies.
  const tableUrl = faultyTable?.url ?? bareTableUrl
  const proxies = {
    table: await startProxy({ target: tableUrl, on: (request) => on('table', request) }),
    lambda: await startProxy({
      target: () => lambdaUrl.promise,
      on: (request) => on('lambda', request),
    }),
    model: await startProxy({ target: modelOrigin, on: (request) => on('model', request) }),
    ours: await startProxy({ target: tableUrl, on: () => undefined }),
  }
  const client = new DynamoDBClient({
    endpoint: proxies.ours.url,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
  })
  const orders = await createOrders(proxies.ours.url)
  await start()

  return {
    directory: project.directory,
    store: createStore(createDynamoTable(client, RUNS_TABLE), randomUUID),
    orders,
    logged,
    gateway() {
      if (!host) throw new Error('The stack does not run')
      return createGatewayClient(host.gatewayUrl)
    },
    async kill() {
      await killHost()
      await proxies.table.idle()
      await faultyTable?.idle()
      await (await table).kill()
      table = startTable()
      lambdaUrl = Promise.withResolvers()
    },
    start,
    async close() {
      await killHost()
      client.destroy()
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
      await faultyTable?.close()
      await (await table).kill()
      await project.remove()
    },
  }

  function startTable() {
    return startDynamoDb({ directory: join(project.directory, '.turnwise/dynamodb') })
  }

  async function start(): Promise<void> {
    const options: HostOptions = {
      directory: project.directory,
      lambdaFrontUrl: proxies.lambda.url,
      stack: { ...stack, projectEnvironment: { ...stack.projectEnvironment, ORDERS_TABLE } },
      env: {
        AWS_ENDPOINT_URL_DYNAMODB: proxies.table.url,
        OPENAI_BASE_URL: `${proxies.model.url}/v1`,
        OPENAI_API_KEY: 'scripted',
      },
    }
    try {
      host = await startStackHost(options, { onLambda: (url) => lambdaUrl.resolve(url), log })
    } catch (cause) {
      throw new Error(`The stack did not start:\n${logged.slice(-20).join('\n')}`, { cause })
    }
  }

  async function killHost(): Promise<void> {
    await host?.kill()
    host = undefined
  }

  function log(line: string): void {
    logged.push(line)
    if (logged.length > 500) logged.shift()
  }
}
