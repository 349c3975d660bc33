import type { Place } from '../compile/plan.ts'
import type { Callable } from '../core/callable.ts'
import { createRegistry, type Registry } from '../core/registry.ts'
import { checkCircles } from './check-circles.ts'
import { findPlaces } from './find-places.ts'
import { errorOf, type Problem, ProjectError } from './problem.ts'
import { AGENTS_FILE, exportsOf, fileExists } from './project-files.ts'

/** A project's definitions and where they are written. */
export interface Definitions {
  readonly registry: Registry
  /** By name; lacks the definitions that `problems` has an error about. */
  readonly places: ReadonlyMap<string, Place>
  readonly problems: readonly Problem[]
}

/**
 * Loads all that `functions/agents.ts` of a project reaches. Throws `ProjectError` when there is nothing to
 * go on with.
 */
export async function loadDefinitions(directory: string): Promise<Definitions> {
  if (!fileExists(directory, AGENTS_FILE))
    throw new ProjectError([
      errorOf(
        `${directory} has no ${AGENTS_FILE}, which says what the gateway serves: \`export const agents = [orderAgent]\``,
      ),
    ])
  const registry = await loadRegistry(directory)
  const { places, problems } = await findPlaces(directory, registry)
  return { registry, places, problems: [...problems, ...(await checkCircles(directory))] }
}

async function loadRegistry(directory: string): Promise<Registry> {
  try {
    const { agents } = await exportsOf(directory, AGENTS_FILE)
    if (!isAgents(agents))
      throw new ProjectError([
        errorOf(
          `${AGENTS_FILE}: it exports \`agents\`, a list of tools, thinkers and doers, and nothing else will do`,
        ),
      ])
    return createRegistry(agents)
  } catch (error) {
    if (error instanceof ProjectError) throw error
    // A circle is why a definition is missing when another needs it, and says more than the error that came
    // of it.
    const circles = await checkCircles(directory).catch(() => [])
    throw new ProjectError(circles.length > 0 ? circles : [errorOf(`${AGENTS_FILE}: ${describe(error)}`)])
  }
}

function isAgents(value: unknown): value is readonly Callable[] {
  return (
    Array.isArray(value) &&
    value.every((agent) => agent === undefined || ['tool', 'thinker', 'doer'].includes(agent?.kind))
  )
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
