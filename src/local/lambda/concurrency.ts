import type { ThrottleReason } from '@aws-sdk/client-lambda'
import type { LocalFunction } from './local-function.ts'

/** Counts what runs, or waits for a process, at once. */
export interface Concurrency {
  /** Counts one invocation of the function until `leave` is called, or tells which limit it would pass. */
  enter(definition: LocalFunction): Entered | { readonly kind: 'throttled'; readonly reason: ThrottleReason }
}

export interface Entered {
  readonly kind: 'entered'
  leave(): void
}

/**
 * Lambda's documentation, "Configuring reserved concurrency": what a function reserves is its alone and bounds it; the
 * others share what is left of the account's concurrency.
 */
export function createConcurrency(deps: {
  readonly accountConcurrency: number
  readonly definitions: () => readonly LocalFunction[]
}): Concurrency {
  const running = new Map<string, number>() // by function; those without a reservation under one key
  return {
    enter({ name, reservedConcurrency }) {
      const key = reservedConcurrency === undefined ? UNRESERVED : name
      const count = running.get(key) ?? 0
      if (count >= (reservedConcurrency ?? unreserved()))
        return {
          kind: 'throttled',
          reason:
            reservedConcurrency === undefined
              ? 'ConcurrentInvocationLimitExceeded'
              : 'ReservedFunctionConcurrentInvocationLimitExceeded',
        }
      running.set(key, count + 1)
      return { kind: 'entered', leave: () => running.set(key, (running.get(key) ?? 0) - 1) }
    },
  }

  function unreserved(): number {
    return deps.accountConcurrency - reservedConcurrency(deps.definitions())
  }
}

/** What the functions reserve together. */
export function reservedConcurrency(definitions: readonly LocalFunction[]): number {
  return definitions.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)
}

/** No function has it for a name. */
const UNRESERVED = ''
