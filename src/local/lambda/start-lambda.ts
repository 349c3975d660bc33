import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { listen } from '../listen.ts'
import { bundleBootstrap, type FunctionBundle } from './bundle-functions.ts'
import { removeUnusedChunks } from './bundle-record.ts'
import { createConcurrency } from './concurrency.ts'
import { createEventQueue } from './event-queue.ts'
import { createEventRunner } from './event-runner.ts'
import { createExecution } from './execution.ts'
import { createFunctionRegistry } from './function-registry.ts'
import type { RunInvocation } from './invocation.ts'
import { createInvocationStore } from './invocation-store.ts'
import { createInvokeApi } from './invoke-api.ts'
import type { LambdaOptions } from './lambda-options.ts'
import type { LocalFunction } from './local-function.ts'
import { openDatabase } from './open-database.ts'
import { startOrphanGuard } from './orphan-guard.ts'
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
  const closers: Closer[] = []
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= closeInReverse(closers)
    return closed
  }
  try {
    return { ...(await open(options, (closer) => closers.push(closer))), close }
  } catch (error) {
    await close()
    throw error
  }
}

type Closer = () => void | Promise<void>

async function closeInReverse(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close()
}

/** Tells `opened` what closes each part; the last one is to be closed first. */
async function open(
  options: LambdaOptions,
  opened: (closer: Closer) => void,
): Promise<Omit<LocalLambda, 'close'>> {
  const { clock = systemClock, log = () => {}, accountConcurrency = 1_000, minimumUnreserved = 100 } = options
  const { maximumWaiting = 10_000 } = options
  const directory = resolve(options.directory) // functions run in a directory of their own
  const guard = await startOrphanGuard(directory, log)
  opened(guard.close)
  removeUnusedChunks(join(directory, 'bundles'))
  const registry = createFunctionRegistry({ directory, accountConcurrency, minimumUnreserved })
  const [bootstrapFile, bundles] = await Promise.all([
    bundleBootstrap(directory),
    registry.add(options.functions),
  ])
  const database = openDatabase(directory)
  opened(() => database.close())

  const definitionOf = (name: string) => registry.get(name)?.definition
  const environment = () => ({ AWS_ENDPOINT_URL_LAMBDA: server.url, ...options.environment })
  const start = createProcessStarter({ directory, registry, guard, bootstrapFile, environment, clock, log })
  const concurrency = createConcurrency({ accountConcurrency, definitions: registry.definitions })
  const execution = createExecution(options, { start, concurrency, definitionOf, clock, log })
  const { pool, run } = execution
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
  const isPoolFull = () => pool.waitingCount() >= maximumWaiting
  const runUnlessFull: RunInvocation = async (invocation, begin) =>
    isPoolFull() ? throttled('CallerRateLimitExceeded') : run(invocation, begin)
  const remembered = createRememberedInvocations({
    store: createInvocationStore(database, () => clock.now()),
    run: runUnlessFull,
  })
  const api = createInvokeApi({
    definitionOf,
    isQueueFull: () => isPoolFull() || queue.count() >= maximumWaiting,
    newRequestId: randomUUID,
    run: runUnlessFull,
    remembered,
    submit: runner.submit,
  })
  const server = await listen(api.fetch, options.port ?? 0)
  opened(server.close)
  opened(remembered.close)
  opened(runner.close)
  opened(execution.close)
  const sources =
    options.watch === true ? createSourceWatch({ directory, rebuilt: pool.retire, log }) : undefined
  opened(() => sources?.close())
  takeUp(options.functions, bundles)
  return {
    url: server.url,
    async addFunctions(functions) {
      const added = await registry.add(functions)
      takeUp(functions, added)
      return added
    },
  }

  function takeUp(functions: readonly LocalFunction[], added: readonly FunctionBundle[]): void {
    sources?.add(functions, added)
    runner.resume(functions.map(({ name }) => name))
  }
}
