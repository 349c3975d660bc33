import type { Callable } from './callable.ts'
import type { Doer } from './doer.ts'
import { stepsOf } from './doer-plan.ts'
import { DefinitionError, NotFound } from './errors.ts'
import type { Thinker } from './thinker.ts'
import type { Tool } from './tool.ts'

/** A callable by its kind. */
export type Definition = Tool | Thinker | Doer

/** One definition and how it was reached: `order_agent → palette → refund_order`. */
export interface Registered {
  readonly definition: Definition
  readonly path: string
}

/** All that some agents reach. */
export interface Registry {
  /** The agents that it was built from, which are the ones that the gateway serves, in their order. */
  readonly agents: readonly Definition[]
  /** Sorted by name. */
  readonly all: readonly Registered[]
  /** `undefined` when nothing has that name. */
  find(name: string): Definition | undefined
  /** Throws `NotFound`, which lists the known names. */
  get(name: string): Definition
}

/**
 * Walks from the agents through palettes and doers' steps: the palette is the registration, and a tool that
 * nobody offers is not in it. Throws `DefinitionError` when two definitions have one name, with the path to
 * each.
 */
export function createRegistry(agents: readonly Callable[]): Registry {
  const reached = new Map<string, Registered>()
  for (const [index, agent] of agents.entries()) {
    if (agent === undefined)
      throw new DefinitionError(
        `agents[${index}] is undefined; its module and this one import each other in a circle`,
      )
    walk(agent, agent.name, reached)
  }
  const all = [...reached.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
  const find = (name: string) => reached.get(name)?.definition
  return {
    agents: agents.map(asDefinition),
    all,
    find,
    get: (name) => {
      const found = find(name)
      if (found === undefined) {
        const known = all.map(({ definition }) => definition.name).join(', ')
        throw new NotFound(`Nothing is named "${name}"; known: ${known === '' ? 'none' : known}`)
      }
      return found
    },
  }
}

/** Callables are made by `tool`, `thinker` and `doer` alone, so the kind tells the rest. */
export function asDefinition(callable: Callable): Definition {
  return callable as Definition
}

/** What a definition calls, each with the word for where it says so: `palette`, `step "look up"`. */
export function callsOf(
  definition: Definition,
): readonly { readonly where: string; readonly callable: Definition }[] {
  switch (definition.kind) {
    case 'tool':
      return []
    case 'thinker':
      return definition.palette.map((callable) => ({ where: 'palette', callable: asDefinition(callable) }))
    case 'doer':
      return stepsOf(definition.plan).map(({ name, callable }) => ({
        where: `step "${name}"`,
        callable: asDefinition(callable),
      }))
  }
}

function walk(callable: Callable, path: string, reached: Map<string, Registered>): void {
  const definition = asDefinition(callable)
  const earlier = reached.get(definition.name)
  if (earlier?.definition === definition) return
  if (earlier !== undefined)
    throw new DefinitionError(
      `Two definitions are named "${definition.name}": one at ${earlier.path}, another at ${path}; rename one`,
    )
  reached.set(definition.name, { definition, path })
  for (const call of callsOf(definition))
    walk(call.callable, `${path} → ${call.where} → ${call.callable.name}`, reached)
}
