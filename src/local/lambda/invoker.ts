import type { Clock } from '../clock.ts'
import type { Concurrency } from './concurrency.ts'
import { deployedName, functionArn } from './function-name.ts'
import type { RunInvocation } from './invocation.ts'
import { type LocalFunction, versionOf } from './local-function.ts'
import { PoolClosed, type ProcessPool } from './process-pool.ts'
import { functionNotFound, recursiveInvocation, throttled } from './refusal.ts'
import { continueTrace, MAXIMUM_IN_CHAIN } from './trace.ts'

export interface InvokerDependencies {
  readonly definitionOf: (functionName: string) => LocalFunction | undefined
  readonly concurrency: Concurrency
  readonly pool: ProcessPool
  readonly clock: Clock
}

/** Runs invocations in processes of their functions, as far as Lambda's rules on loops and concurrency let it. */
export function createInvoker({
  definitionOf,
  concurrency,
  pool,
  clock,
}: InvokerDependencies): RunInvocation {
  return async (invocation, begin) => {
    const { functionName, qualifier, requestId, payload, log } = invocation
    const definition = definitionOf(functionName)
    const version = definition && versionOf(definition, qualifier)
    const invokedFunctionArn = functionArn(functionName, qualifier)
    if (definition === undefined || version === undefined) return functionNotFound(invokedFunctionArn)

    const trace = continueTrace(invocation.trace, functionArn(functionName), clock.now())
    if (trace.count > MAXIMUM_IN_CHAIN && definition.recursiveLoop !== 'Allow') {
      return recursiveInvocation(functionArn(functionName), MAXIMUM_IN_CHAIN)
    }
    const entry = concurrency.enter(definition)
    if (entry.kind === 'throttled') return throttled(entry.reason)
    try {
      return await pool.use(deployedName(functionName, version), async (process) => {
        if (!begin()) return { kind: 'skipped' }
        return process.invoke({ requestId, payload, invokedFunctionArn, traceId: trace.header, log })
      })
    } catch (error) {
      if (error instanceof PoolClosed) return { kind: 'closed' }
      throw error
    } finally {
      entry.leave()
    }
  }
}
