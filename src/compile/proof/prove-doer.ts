import type { Doer } from '../../core/doer.ts'
import { nodesOf } from '../../core/doer-plan.ts'
import { type Analysis, analyse } from '../analysis.ts'
import { type CompiledMachine, compileMachine } from '../compile-machine.ts'
import type { Split } from '../flow/split.ts'
import { requireGivenOutput } from '../given-output.ts'
import { mostItemsOf } from '../list-bound.ts'
import { type Payload, payloadsOf } from '../payload/payloads.ts'
import { MAXIMUM_EVENTS, type WorstCase, worstCaseOf } from '../worst-case/worst-case.ts'
import { requireSmallDefinition, requireSmallPayloads } from './refuse.ts'
import { splitFurther } from './split-further.ts'

export interface ProofOptions {
  /** Events that a history takes; default 25,000, which is Step Functions' own. */
  readonly maximumEvents?: number
}

/** A machine of which no history can become too long. */
export interface Proof extends CompiledMachine {
  readonly split: Split
  readonly worst: WorstCase
  readonly payloads: readonly Payload[]
}

/**
 * Compiles a doer so that it cannot exceed what Step Functions takes: maps and repeats that could are split into
 * executions of their own. Throws `DefinitionError` where that does not help.
 */
export function proveDoer(doer: Doer, { maximumEvents = MAXIMUM_EVENTS }: ProofOptions = {}): Proof {
  requireGivenOutput(doer)
  const analysis = analyse(doer)
  const proof = splitUntilItFits(analysis, maximumEvents)
  const payloads = payloadsOf(analysis, proof.split)
  requireSmallPayloads(doer, payloads)
  requireSmallDefinition(doer, proof.machine)
  return { ...proof, payloads }
}

/** A machine with what was found out about its histories. */
export type Attempt = Omit<Proof, 'payloads'>

function splitUntilItFits(analysis: Analysis, maximumEvents: number): Attempt {
  const open = openMaps(analysis)
  let proof = attempt(analysis, new Map(open.map((id) => [id, 1])))
  for (let over = tooLong(proof, maximumEvents); over !== undefined; over = tooLong(proof, maximumEvents))
    proof = attempt(analysis, splitFurther(analysis.doer, proof, over, maximumEvents))
  for (const id of proof.split.keys()) {
    if (open.includes(id)) continue
    const without = attempt(analysis, new Map([...proof.split].filter(([other]) => other !== id)))
    // It was split before something in it was, which is enough.
    if (tooLong(without, maximumEvents) === undefined) proof = without
  }
  return proof
}

function attempt(analysis: Analysis, split: Split): Attempt {
  const compiled = compileMachine(analysis, split)
  return { ...compiled, split, worst: worstCaseOf(compiled.machine, compiled.bounds) }
}

function tooLong({ worst }: Attempt, maximumEvents: number) {
  return worst.histories.find(({ events }) => events > maximumEvents)
}

/** Maps of whose list nobody says how long it may be fit into no history. */
function openMaps({ doer, shapeOf }: Analysis): readonly number[] {
  return nodesOf(doer.plan).flatMap((node) =>
    node.kind === 'map' && mostItemsOf(node, shapeOf) === undefined ? [node.id] : [],
  )
}
