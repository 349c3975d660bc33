import type { Callable } from './callable.ts'
import { asDefinition, callsOf, type Definition } from './definition.ts'
import { DefinitionError, NotFound } from './errors.ts'
import { requireReadOnly } from './read-only.ts'

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
 * each, and when a doer that is marked read-only reaches what changes things.
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
  for (const { definition } of reached.values()) requireReadOnly(definition)
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
