import { callsOf, type Definition, type Registry } from '../core/registry.ts'

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

/** The function that runs a tool or a thinker's turn. A doer has a machine and no function. */
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
export function reachOfResume({ all }: Registry): Reach {
  const definitions = all.map(({ definition }) => definition)
  const { invokes, starts } = reach(definitions, definitions)
  return { invokes: [...invokes, RESCUE_ID].sort(), starts }
}

/** The gateway submits and nudges what it serves, and calls the tools of it. */
export function reachOfGateway({ agents }: Registry): Reach {
  const tools = agents.flatMap(calledBy).filter(({ kind }) => kind === 'tool')
  return reach([...agents, ...tools], agents)
}

/** A machine invokes its steps. */
export function reachOfMachine(doer: Definition): Reach {
  return reach(calledBy(doer), [])
}

function calledBy(definition: Definition): readonly Definition[] {
  return callsOf(definition).map(({ callable }) => callable)
}

function reach(invoked: readonly Definition[], started: readonly Definition[]): Reach {
  const ids = invoked.map(functionIdOf).filter((id) => id !== undefined)
  const machines = started.filter(({ kind }) => kind === 'doer').map(({ name }) => name)
  return { invokes: sorted([...ids, RESUME_ID]), starts: sorted(machines) }
}

function sorted(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort()
}
