import { join } from 'node:path'
import type { Plan } from '../../compile/plan.ts'
import { functionName } from '../../core/function-name.ts'
import type { LocalFunction } from '../lambda/local-function.ts'
import { LOCAL_PREFIX } from './environment.ts'

/** The plan's functions as Lambda's stand-in takes them. The gateway is served by the stack itself. */
export function localFunctions(
  { functions }: Plan,
  directory: string,
  environment: Readonly<Record<string, string>>,
): LocalFunction[] {
  return functions
    .filter(({ door }) => door !== 'gateway')
    .map(({ id, entry, timeoutSeconds, memoryMb, asynchronous }) => {
      const { retries, maximumEventAgeSeconds, onFailure } = asynchronous
      return {
        name: functionName(LOCAL_PREFIX, id),
        entry: join(directory, entry),
        timeoutSeconds,
        memoryMb,
        environment,
        // A run's messages are such a chain; its own limits bound it.
        recursiveLoop: 'Allow' as const,
        asynchronous: {
          retries: retries === 0 ? 0 : retries === 1 ? 1 : 2,
          maximumEventAgeSeconds,
          ...(onFailure !== undefined && { onFailure: functionName(LOCAL_PREFIX, onFailure) }),
        },
      }
    })
}
