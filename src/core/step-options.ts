import type { Typed } from './callable.ts'
import type { StepNode, StepRetry } from './doer-plan.ts'
import type { StepOptions } from './plan.ts'
import { refuse, requireFailureNames, requireWhole, type Use } from './step-names.ts'
import { isTool } from './tool.ts'

const MAXIMUM_ATTEMPTS = 10
/** Step Functions: an execution lasts at most a year. */
export const LONGEST_WAIT_SECONDS = 31_536_000
const AGENT_TIMEOUT_SECONDS = 604_800

/** Says nothing was done: the service asked to come back later. */
const DID_NOTHING = 'Throttled'
const NO_RETRY: StepRetry = { on: [], attempts: 1 }
const DEFAULT_RETRY: StepRetry = { on: [DID_NOTHING], attempts: 3 }

/** A step's options, checked, with their defaults by the kind of its callable. Throws `DefinitionError`. */
export function readStepOptions(
  callable: Typed<unknown, unknown>,
  { retry, timeoutSeconds }: StepOptions,
  use: Use,
): Pick<StepNode, 'retry' | 'timeoutSeconds'> {
  const checked = { retry: retryOf(callable, retry, use) }
  if (!isTool(callable)) {
    requireWhole(use, 'timeoutSeconds', timeoutSeconds ?? AGENT_TIMEOUT_SECONDS, 1, LONGEST_WAIT_SECONDS)
    return { ...checked, timeoutSeconds: timeoutSeconds ?? AGENT_TIMEOUT_SECONDS }
  }
  if (timeoutSeconds !== undefined)
    refuse(
      use.doer,
      use.place,
      `timeoutSeconds is for agents; ${callable.name} is a tool and has its own, ${callable.timeoutSeconds} s`,
    )
  return checked
}

function retryOf(callable: Typed<unknown, unknown>, retry: StepRetry | undefined, use: Use): StepRetry {
  const mayRepeat = !isTool(callable) || callable.readOnly || callable.idempotent
  if (retry === undefined) return isTool(callable) && mayRepeat ? DEFAULT_RETRY : NO_RETRY
  requireFailureNames(use, retry.on)
  if (!isTool(callable) && retry.on.includes('Timeout'))
    refuse(
      use.doer,
      use.place,
      `it retries on Timeout, but ${callable.name} is an agent, whose time is over then and which a retry would ask twice; ` +
        'give it more timeoutSeconds, or recover on Timeout',
    )
  requireWhole(use, 'retry.attempts', retry.attempts, 1, MAXIMUM_ATTEMPTS)
  const unsafe = mayRepeat ? undefined : retry.on.find((name) => name !== DID_NOTHING)
  if (unsafe !== undefined)
    refuse(
      use.doer,
      use.place,
      `it retries on ${unsafe}, but ${callable.name} changes things, and may have before it failed; ` +
        `retry on ${DID_NOTHING} alone, or mark the tool idempotent`,
    )
  return retry
}
