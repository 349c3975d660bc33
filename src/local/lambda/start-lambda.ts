import { randomUUID } from 'node:crypto'
import { systemClock } from '../clock.ts'
import { listen } from '../listen.ts'
import { bundleBootstrap, type FunctionBundle } from './bundle-functions.ts'
import { createConcurrency } from './concurrency.ts'
import { createEventQueue } from './event-queue.ts'
import { createEventRunner } from './event-runner.ts'
import { createFaultInjector } from './faults.ts'
import type { FunctionProcess } from './function-process.ts'
import { createFunctionRegistry } from './function-registry.ts'
import type { RunInvocation } from './invocation.ts'
import { createInvocationStore } from './invocation-store.ts'
import { createInvokeApi } from './invoke-api.ts'
import { createInvoker, type InvokerDependencies } from './invoker.ts'
import type { LambdaOptions } from './lambda-options.ts'
import type { LocalFunction } from './local-function.ts'
import { openDatabase } from './open-database.ts'
import { type OrphanGuard, startOrphanGuard } from './orphan-guard.ts'
import { createProcessPool } from './process-pool.ts'
import { createProcessStarter } from './process-starter.ts'
import { throttled } from './refusal.ts'
import { createRememberedInvocations } from './remembered-invocations.ts'
import { createSourceWatch } from './source-watch.ts'

export interface LocalLambda {
  readonly url: string
  /** Bundles and adds more functions; those that they hand records to must be known or among them. */
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
  const accountConcurrency = options.accountConcurrency ?? 1_000
  const registry = createFunctionRegistry(directory, accountConcurrency)
  const [bootstrapFile, bundles] = await Promise.all([
    bundleBootstrap(directory),
    registry.add(options.functions),
  ])
  const definitionOf = (name: string) => registry.get(name)?.definition
  const environment = () => ({ AWS_ENDPOINT_URL_LAMBDA: server.url, ...options.environment })
  const start = createProcessStarter({ directory, registry, guard, bootstrapFile, environment, clock, log })
  const concurrency = createConcurrency({ accountConcurrency, definitions: registry.definitions })
  const { pool, run, endDelays } = createExecution(options, { start, concurrency, definitionOf, clock })
  const database = openDatabase(directory)
  const queue = createEventQueue(database)
  const runner = createEventRunner({
    queue,
    run,
    clock,
    log,
    definitionOf,
    newRequestId: randomUUID,
    retryDelaysMs: options.retryDelaysMs ?? [60_000, 120_000],
  })
  const maximumWaiting = options.maximumWaiting ?? 10_000
  const isFull = () => Math.max(pool.waitingCount(), queue.count()) >= maximumWaiting
  const runUnlessFull: RunInvocation = async (invocation, begin) =>
    isFull() ? throttled('CallerRateLimitExceeded') : run(invocation, begin)
  const remembered = createRememberedInvocations({
    store: createInvocationStore(database, () => clock.now()),
    run: runUnlessFull,
  })
  const api = createInvokeApi({
    definitionOf,
    isFull,
    newRequestId: randomUUID,
    run: runUnlessFull,
    remembered,
    submit: runner.submit,
  })
  const server = await listen(api.fetch, options.port ?? 0)
  const sources =
    options.watch === true ? createSourceWatch({ directory, rebuilt: pool.retire, log }) : undefined
  takeUp(options.functions, bundles)
  let closed: Promise<void> | undefined

  return {
    url: server.url,
    async addFunctions(functions) {
      const added = await registry.add(functions)
      takeUp(functions, added)
      return added
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }

  function takeUp(functions: readonly LocalFunction[], added: readonly FunctionBundle[]): void {
    sources?.add(functions, added)
    runner.resume(functions.map(({ name }) => name))
  }

  async function close(): Promise<void> {
    await sources?.close()
    endDelays()
    await pool.close(options.closeGraceMs ?? 5_000)
    await runner.close()
    await remembered.close()
    await server.close()
    database.close()
    await guard.close()
  }
}

/** What runs invocations: the processes, and around them Lambda's rules and the faults that were asked for. */
function createExecution(
  options: LambdaOptions,
  deps: Omit<InvokerDependencies, 'pool'> & { readonly start: (deployedName: string) => FunctionProcess },
) {
  const { start, clock } = deps
  const pool = createProcessPool({
    start,
    maximumProcesses: options.maximumProcesses ?? 8,
    reuse: options.reuse ?? 'warm',
    clock,
  })
  const { run, close: endDelays } = createFaultInjector({
    faults: options.faults ?? (() => undefined),
    run: createInvoker({ ...deps, pool }),
    clock,
  })
  return { pool, run, endDelays }
}
