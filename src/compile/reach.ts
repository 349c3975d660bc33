import { callsOf, type Definition } from '../core/definition.ts'
import type { Doer } from '../core/doer.ts'
import { nodesOf, stepsOf } from '../core/doer-plan.ts'
import type { Registry } from '../core/registry.ts'
import { createShapes } from './shape/shape-of-expression.ts'

/**
 * What one function or machine may do: ids of functions that it may invoke, of machines that it may start;
 * both sorted.
 */
export interface Reach {
  readonly invokes: string[]
  readonly starts: string[]
}

export const RESUME_ID = 'resume'
/** The same door as `resume`, which reports its own failures to it. */
export const RESCUE_ID = 'rescue'
export const GATEWAY_ID = 'gateway'
/** Reads and writes the items of lists for machines that map over artifacts. */
export const LISTS_ID = 'lists'

/** The function of a doer that is a step of another, or has code. */
export const doerFunctionId = (doer: string): string => `doer-${doer}`

/** Whether a doer has a function beside its machine: one that makes its runs as a step of another doer, and runs its code. */
export function hasFunction(doer: Doer, { all }: Registry): boolean {
  const isStep = all.some(
    ({ definition }) => definition.kind === 'doer' && calledBy(definition).includes(doer),
  )
  return isStep || hasCode(doer)
}

/** Whether the machine of a doer needs the function for lists. */
export function mapsOverArtifacts(doer: Doer): boolean {
  const shapeOf = createShapes(doer)
  return nodesOf(doer.plan).some((node) => node.kind === 'map' && shapeOf(node.list).isArtifact === true)
}

const hasCode = ({ plan }: Doer): boolean => stepsOf(plan).some(({ isCode }) => isCode)

/** The function that runs a tool or a thinker's turn. Whoever calls a doer starts its machine, but for another doer's machine. */
export function functionIdOf({ kind, name }: Definition): string | undefined {
  switch (kind) {
    case 'tool':
      return `tool-${name}`
    case 'thinker':
      return `turn-${name}`
    case 'doer':
      return undefined
  }
}

/** A turn invokes what its palette offers, itself for the next turn, and `resume`. */
export function reachOfTurn(thinker: Definition): Reach {
  const called = calledBy(thinker)
  return reach([thinker, ...called], called)
}

/** A tool's function invokes no tool: it nudges the turns that offer it, and tells `resume`. */
export function reachOfTool(tool: Definition, registry: Registry): Reach {
  const offering = registry.all
    .map(({ definition }) => definition)
    .filter((definition) => definition.kind === 'thinker' && calledBy(definition).includes(tool))
  return reach(offering, [])
}

/** `resume` nudges every run, dispatches calls again, starts a doer whose start was lost, and fails to `rescue`. */
export function reachOfResume(registry: Registry): Reach {
  const definitions = registry.all.map(({ definition }) => definition)
  const doers = definitions
    .filter((each) => each.kind === 'doer')
    .filter((doer) => hasFunction(doer, registry))
  return reach(definitions, definitions, [RESCUE_ID, ...doers.map(({ name }) => doerFunctionId(name))])
}

/** The gateway submits and nudges what it serves, and calls the tools of it. */
export function reachOfGateway({ agents }: Registry): Reach {
  const tools = agents.flatMap(calledBy).filter(({ kind }) => kind === 'tool')
  return reach([...agents, ...tools], agents)
}

/** A doer's function makes its runs. */
export function reachOfDoer(doer: Doer): Reach {
  return reach([], [doer])
}

/** A machine invokes its steps, and for its code the doer's own function. */
export function reachOfMachine(doer: Doer): Reach {
  const called = calledBy(doer)
  const doers = called.filter(({ kind }) => kind === 'doer')
  const functions = [...doers, ...(hasCode(doer) ? [doer] : [])].map(({ name }) => doerFunctionId(name))
  return reach(called, [], [...functions, ...(mapsOverArtifacts(doer) ? [LISTS_ID] : [])])
}

function calledBy(definition: Definition): readonly Definition[] {
  return callsOf(definition).map(({ callable }) => callable)
}

function reach(
  invoked: readonly Definition[],
  started: readonly Definition[],
  functions: readonly string[] = [],
): Reach {
  const ids = invoked.map(functionIdOf).filter((id) => id !== undefined)
  const machines = started.filter(({ kind }) => kind === 'doer').map(({ name }) => name)
  return { invokes: sorted([...ids, ...functions, RESUME_ID]), starts: sorted(machines) }
}

function sorted(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort()
}
