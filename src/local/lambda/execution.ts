import { createFaultInjector } from './faults.ts'
import type { FunctionProcess } from './function-process.ts'
import type { RunInvocation } from './invocation.ts'
import { createInvoker, type InvokerDependencies } from './invoker.ts'
import type { LambdaOptions } from './lambda-options.ts'
import { createProcessPool, type ProcessPool } from './process-pool.ts'

/** What runs invocations: the processes, and around them Lambda's rules and the faults that were asked for. */
export interface Execution {
  readonly pool: ProcessPool
  readonly run: RunInvocation
  /** Begins nothing more and lets invocations end, as long as the options say. */
  close(): Promise<void>
}

export interface ExecutionDependencies extends Omit<InvokerDependencies, 'pool'> {
  readonly start: (deployedName: string) => FunctionProcess
  readonly log: (line: string) => void
}

export function createExecution(
  { maximumProcesses = 8, reuse = 'warm', faults = () => undefined, closeGraceMs = 5_000 }: LambdaOptions,
  deps: ExecutionDependencies,
): Execution {
  const { start, clock, log } = deps
  const pool = createProcessPool({ start, maximumProcesses, reuse, clock })
  const injector = createFaultInjector({ faults, run: createInvoker({ ...deps, pool }), clock, log })
  return {
    pool,
    run: injector.run,
    async close() {
      injector.close()
      await pool.close(closeGraceMs)
    },
  }
}
