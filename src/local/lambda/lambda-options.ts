import type { Clock } from '../clock.ts'
import type { Faults } from './faults.ts'
import type { LocalFunction } from './local-function.ts'

export interface LambdaOptions {
  /** Holds the bundles and the asynchronous events; one stand-in at a time works in it. */
  readonly directory: string
  readonly functions: readonly LocalFunction[]
  /** Over all functions; default 8. What finds no place waits: it is a bound of the machine, not of Lambda. */
  readonly maximumProcesses?: number
  /**
   * Invocations that wait for a process, or for an asynchronous request events that are not settled, from which on
   * TooManyRequestsException is answered; default 10,000.
   */
  readonly maximumWaiting?: number
  /** What runs or waits for a process at once, less what functions reserve for themselves; default 1,000, as in AWS. */
  readonly accountConcurrency?: number
  /** What of it no function may reserve; default 100, as in AWS ("Configuring reserved concurrency"). */
  readonly minimumUnreserved?: number
  /** `never`: each invocation gets a fresh process, which shows what relies on state left behind; default `warm`. */
  readonly reuse?: 'warm' | 'never'
  /** Bundles functions anew when a source file outside node_modules changes; default false. */
  readonly watch?: boolean
  /** What is to go wrong; default nothing. */
  readonly faults?: Faults
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
