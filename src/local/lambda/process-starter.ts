import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { functionEnvironment } from './function-environment.ts'
import { LATEST, parseFunctionName } from './function-name.ts'
import { type FunctionProcess, startFunctionProcess } from './function-process.ts'
import type { FunctionRegistry } from './function-registry.ts'
import type { OrphanGuard } from './orphan-guard.ts'

export interface ProcessStarterDependencies {
  readonly directory: string
  readonly registry: FunctionRegistry
  readonly guard: OrphanGuard
  readonly bootstrapFile: string
  /** For every function; its own variables come over these. */
  readonly environment: () => Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** Starts processes by their deployed name: `orders`, `orders:3`. */
export function createProcessStarter(deps: ProcessStarterDependencies): (name: string) => FunctionProcess {
  const { directory, registry, guard, bootstrapFile, clock, log } = deps
  return (deployed) => {
    const { name, qualifier: version = LATEST } = parseFunctionName(deployed) ?? { name: deployed }
    const found = registry.get(name)
    if (found === undefined) throw new Error(`A process was asked for "${deployed}", which is unknown`)
    const started = startFunctionProcess(found.definition, {
      bootstrapFile,
      bundleFile: found.bundleFile,
      compileCacheDirectory: join(directory, 'compile-cache'),
      environment: functionEnvironment(found.definition, version, process.env, deps.environment()),
      version,
      clock,
      log,
    })
    guard.watch(started)
    return started
  }
}
