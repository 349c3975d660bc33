import type { Doer } from '../core/doer.ts'
import type { Machine } from './asl.ts'
import { type ProofOptions, proveDoer } from './proof/prove-doer.ts'

/**
 * A doer as a state machine, in JSONata ASL that a person can read in the console: a step's state has the
 * step's name, states that are not steps have names in parentheses. The execution's input is `{ runId, input
 * }`. `renderMachine` makes it one deployment's. Same doer, same bytes. Throws `DefinitionError`, also for a doer that can
 * exceed what AWS takes.
 */
export function compileDoer(doer: Doer, options?: ProofOptions): Machine {
  return proveDoer(doer, options).machine
}
