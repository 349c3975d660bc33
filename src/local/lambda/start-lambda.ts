import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { listen } from '../listen.ts'
import { bundleBootstrap, type FunctionBundle } from './bundle-functions.ts'
import { openEventQueue } from './event-queue.ts'
import { createEventRunner } from './event-runner.ts'
import { functionEnvironment } from './function-environment.ts'
import { type FunctionProcess, startFunctionProcess } from './function-process.ts'
import { createFunctionRegistry, type FunctionRegistry } from './function-registry.ts'
import type { InvocationOutcome } from './invocation-outcome.ts'
import { createInvokeApi, type InvokeRequest } from './invoke-api.ts'
import type { LocalFunction } from './local-function.ts'
import { type OrphanGuard, startOrphanGuard } from './orphan-guard.ts'
import { createProcessPool, PoolClosed, type ProcessPool } from './process-pool.ts'

export interface LambdaOptions {
  /** Holds the bundles and the asynchronous events; one stand-in at a time works in it. */
  readonly directory: string
  readonly functions: readonly LocalFunction[]
  /** Over all functions; default 8. */
  readonly maximumProcesses?: number
  /** Requests that wait, or events not settled, from which on TooManyRequestsException is answered; default 10,000. */
  readonly maximumWaiting?: number
  /** Default 0: a free one. */
  readonly port?: number
  /** For every function; its own come over these. `AWS_ENDPOINT_URL_LAMBDA` is this stand-in unless given. */
  readonly environment?: Readonly<Record<string, string>>
  /** Before the first and the second retry of an asynchronous event; default AWS's one and two minutes. */
  readonly retryDelaysMs?: readonly number[]
  /** How long `close` lets invocations run on; default 5,000. */
  readonly closeGraceMs?: number
  readonly clock?: Clock
  /** Gets what the functions print, each line with function and request id. */
  readonly log?: (line: string) => void
}

export interface LocalLambda {
  readonly url: string
  /** Bundles and adds more functions; their on-failure functions must be known or among them. */
  addFunctions(functions: readonly LocalFunction[]): Promise<readonly FunctionBundle[]>
  /** Begins nothing new and lets invocations end. Events that are not settled go on at the next start. */
  close(): Promise<void>
}

/**
 * Starts Lambda's stand-in on 127.0.0.1 for the real SDK client: each invocation in a process of its function, at most
 * `maximumProcesses` at a time. Throws for a function outside Lambda's bounds, for one that does not bundle, for a
 * taken port, and when another stand-in works in the directory.
 */
export async function startLambda(options: LambdaOptions): Promise<LocalLambda> {
  const guard = await startOrphanGuard(options.directory, options.log ?? (() => {}))
  try {
    return await startGuarded(options, guard)
  } catch (error) {
    await guard.close()
    throw error
  }
}

async function startGuarded(options: LambdaOptions, guard: OrphanGuard): Promise<LocalLambda> {
  const { directory, clock = systemClock, log = () => {} } = options
  const registry = createFunctionRegistry(directory)
  const [bootstrapFile] = await Promise.all([bundleBootstrap(directory), registry.add(options.functions)])
  const queue = openEventQueue(directory)
  const pool = createProcessPool({
    start: (name) => startProcess(name, { ...options, registry, guard, bootstrapFile, url: server.url }),
    maximumProcesses: options.maximumProcesses ?? 8,
    clock,
  })
  const runner = createEventRunner({
    queue,
    pool,
    clock,
    log,
    definitionOf: (name) => registry.get(name)?.definition,
    newRequestId: randomUUID,
    retryDelaysMs: options.retryDelaysMs ?? [60_000, 120_000],
  })
  const maximumWaiting = options.maximumWaiting ?? 10_000
  const api = createInvokeApi({
    hasFunction: (name) => registry.get(name) !== undefined,
    isFull: () => Math.max(pool.waitingCount(), queue.count()) >= maximumWaiting,
    newRequestId: randomUUID,
    invoke: (request) => invokeNow(pool, request),
    submit: runner.submit,
  })
  const server = await listen(api.fetch, options.port ?? 0)
  runner.resume(options.functions.map(({ name }) => name))
  let closed: Promise<void> | undefined

  return {
    url: server.url,
    async addFunctions(functions) {
      const bundles = await registry.add(functions)
      runner.resume(functions.map(({ name }) => name))
      return bundles
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }

  async function close(): Promise<void> {
    await pool.close(options.closeGraceMs ?? 5_000)
    await runner.close()
    await server.close()
    queue.close()
    await guard.close()
  }
}

interface ProcessSurroundings extends LambdaOptions {
  readonly registry: FunctionRegistry
  readonly guard: OrphanGuard
  readonly bootstrapFile: string
  /** Of the stand-in. */
  readonly url: string
}

function startProcess(functionName: string, surroundings: ProcessSurroundings): FunctionProcess {
  const { registry, guard, directory, url, clock = systemClock, log = () => {} } = surroundings
  const found = registry.get(functionName)
  if (found === undefined) throw new Error(`A process was asked for "${functionName}", which is unknown`)
  const given = { AWS_ENDPOINT_URL_LAMBDA: url, ...surroundings.environment }
  const started = startFunctionProcess(found.definition, {
    bootstrapFile: surroundings.bootstrapFile,
    bundleFile: found.bundleFile,
    compileCacheDirectory: join(directory, 'compile-cache'),
    environment: functionEnvironment(found.definition, process.env, given),
    clock,
    log,
  })
  guard.watch(started)
  return started
}

async function invokeNow(pool: ProcessPool, request: InvokeRequest): Promise<InvocationOutcome | undefined> {
  try {
    return await pool.use(request.functionName, (functionProcess) => functionProcess.invoke(request))
  } catch (error) {
    if (error instanceof PoolClosed) return undefined
    throw error
  }
}
