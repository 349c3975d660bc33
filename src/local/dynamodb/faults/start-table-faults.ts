import { type Clock, systemClock } from '../../clock.ts'
import { createDice } from '../../dice.ts'
import { type Fault, type ProxiedRequest, startProxy } from '../../fault-proxy.ts'
import { createBatchGet } from './batch-get.ts'
import { createBatchWrite } from './batch-write.ts'
import { createConsumption, type TableUnits } from './consumption.ts'
import { answered, type Handler } from './handler.ts'
import { createItemWriter } from './item-writer.ts'
import { createLostAnswers } from './lost-answers.ts'
import { createReadPlaces } from './read-places.ts'
import { createReads } from './reads.ts'
import { createTableOperations } from './table-operations.ts'
import { createTables } from './tables.ts'
import { createTokenBuckets } from './token-buckets.ts'
import { createWire } from './wire.ts'
import { createWrites } from './writes.ts'

export interface TableFaultsOptions {
  /** The URL of DynamoDB's stand-in; one that moves is asked for before each request. */
  readonly target: string | (() => string | Promise<string>)
  /** The same seed and the same requests at the same times: the same faults. */
  readonly seed: number
  /** Default: the machine's. */
  readonly clock?: Clock
  /** A read that is not consistent sees each item as it was at most so long ago; default 2,000. */
  readonly maximumLagMs?: number
  /** The same for global secondary indexes; default 2,000. */
  readonly maximumIndexLagMs?: number
  /** The share, 0 to 1, of the reads not marked consistent that see the newest state all the same; default a third. */
  readonly freshReads?: number
  /** The share, 0 to 1, of the writes whose answer is lost after they were done; default 0. */
  readonly loseResponses?: number
  /** What a partition of a table or an index gives; default 1,000 (DynamoDB Developer Guide, "Designing partition keys"). */
  readonly writeUnitsPerSecond?: number
  /** The same for reads; default 3,000. */
  readonly readUnitsPerSecond?: number
  /** Gets a line for each answer that is lost and each request that is throttled; default: nobody. */
  readonly log?: (line: string) => void
}

/** A DynamoDB that does what AWS's may do and a stand-in on one machine never does. */
export interface TableFaults {
  readonly url: string
  /** Units since the start or the last `resetConsumed`, by table: `{ orders: { writeUnits: 3, readUnits: 0.5, indexes: {} } }`. */
  consumed(): Readonly<Record<string, TableUnits>>
  resetConsumed(): void
  /** Resolves when every replica and index holds what was written, due or not. */
  settle(): Promise<void>
  /** Resolves when the target has no request open. */
  idle(): Promise<void>
  /** Breaks what is open and deletes the replicas, if the target is reached; another proxy makes its own. */
  close(): Promise<void>
}

/**
 * Starts a proxy on 127.0.0.1 before DynamoDB's stand-in, which then is to be written through it alone. Reads not marked consistent
 * and global secondary indexes lag behind; answers of writes get lost; a partition gives 1,000 write and 3,000 read units a second
 * and throttles what is over; units are counted as AWS counts them. Conditions, expressions, filters and pages are the target's own:
 * the replicas are tables in it, `<name>.turnwise-replica` and `<name>.turnwise-index-replica`, that later get the same items, each item's versions
 * in order. Not counted: local secondary indexes; passed on as they come: transactions. Throws a RangeError for a share that is none.
 */
export async function startTableFaults(options: TableFaultsOptions): Promise<TableFaults> {
  const { target, seed, clock = systemClock, log = () => {} } = options
  const { maximumLagMs = 2_000, maximumIndexLagMs = 2_000 } = options
  const freshReads = share('freshReads', options.freshReads ?? 1 / 3)
  const wire = createWire(target)
  const dice = createDice(seed)
  const consumption = createConsumption()
  const tables = createTables({ wire, clock, dice, maximumLagMs, maximumIndexLagMs })
  const places = createReadPlaces(dice, freshReads)
  const lostAnswers = createLostAnswers(dice, share('loseResponses', options.loseResponses ?? 0), log)
  const onRefusal = (kind: string) => (bucket: string) => log(`[fault] a ${kind} of ${bucket} is throttled`)
  const writeBuckets = createTokenBuckets(options.writeUnitsPerSecond ?? 1_000, clock, onRefusal('write'))
  const readBuckets = createTokenBuckets(options.readUnitsPerSecond ?? 3_000, clock, onRefusal('read'))
  const writer = createItemWriter({ wire, tables, buckets: writeBuckets, consumption })
  const handlers = new Map<string, Handler>(
    Object.entries({
      ...createWrites({ wire, tables, writer, lostAnswers }),
      BatchWriteItem: createBatchWrite({ wire, tables, writer, lostAnswers }),
      ...createReads({ wire, tables, places, buckets: readBuckets, consumption }),
      BatchGetItem: createBatchGet({ wire, tables, places, consumption }),
      ...createTableOperations(wire, tables),
    }),
  )
  const proxy = await startProxy({
    target,
    on: async (request) => {
      const input = inputOf(request)
      // AWS answers 500 too when it does not know what became of a request.
      return input && handlers.get(operationOf(request))?.(input).catch(internalError)
    },
  })
  const idle = async () => {
    await Promise.all([proxy.idle(), wire.idle()])
  }
  return {
    url: proxy.url,
    consumed: consumption.totals,
    resetConsumed: consumption.reset,
    settle: tables.settle,
    idle,
    async close() {
      await proxy.close()
      await tables.close()
      await wire.close()
    },
  }
}

const operationOf = ({ target = '' }: ProxiedRequest): string =>
  /^DynamoDB_20120810\.(\w+)$/.exec(target)?.[1] ?? ''

/** Undefined when the body is no JSON object, which DynamoDB then says. */
function inputOf({ body }: ProxiedRequest): object | undefined {
  try {
    const input: unknown = JSON.parse(body)
    return typeof input === 'object' && input !== null ? input : undefined
  } catch {
    return undefined
  }
}

function internalError(error: unknown): Fault {
  const message = `The proxy before DynamoDB failed: ${String(error)}`
  return answered({
    status: 500,
    body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message },
  })
}

function share(name: string, value: number): number {
  if (value >= 0 && value <= 1) return value
  throw new RangeError(`${name} is a share from 0 to 1, not ${value}`)
}
