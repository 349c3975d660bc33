import { randomBytes } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Clock, Ports } from '../runtime/ports.ts'
import { createDynamoTable } from '../store/dynamo-table.ts'
import { createStore } from '../store/store.ts'
import { readEnvironment } from './environment.ts'
import { createMachines } from './machines.ts'
import { createSend } from './send.ts'

const clock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
}

/** A connection that died while the process was frozen is noticed, and the request is sent again. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 10_000 }

const random = (): string => randomBytes(16).toString('hex')

/** The runtime's ports over AWS, made once per process: clients keep their connections. */
export function createPorts(options: { readonly mayTell?: boolean } = {}): Ports {
  const environment = readEnvironment()
  // Endpoints come from AWS_ENDPOINT_URL_DYNAMODB, _LAMBDA and _SFN, which the SDK reads by itself.
  const table = createDynamoTable(
    new DynamoDBClient({ requestHandler: TIMEOUTS }),
    environment.TURNWISE_TABLE,
  )
  return {
    store: createStore(table, random),
    send: createSend(environment.TURNWISE_PREFIX),
    machines: createMachines(environment),
    mayTell: options.mayTell ?? false,
    clock,
    reportFault: (error, about) => console.error(about, error),
    random,
  }
}
