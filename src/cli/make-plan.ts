import catalogFile from '../../catalog.json' with { type: 'json' }
import { compilePlan } from '../compile/compile-plan.ts'
import type { Plan } from '../compile/plan.ts'
import { longerWaits } from '../core/arrange-jobs.ts'
import type { Definition } from '../core/definition.ts'
import { nodesOf } from '../core/doer-plan.ts'
import { parseCatalog } from '../model/catalog.ts'
import { answerSchema, inputSchema } from '../model/json-schema.ts'
import { loadDefinitions } from './load-definitions.ts'
import { errorOf, type Problem, ProjectError, warningOf } from './problem.ts'

/** A project's plan, not yet written anywhere. */
export interface MadePlan {
  readonly plan: Plan
  readonly warnings: readonly Problem[]
}

/** Loads, finds and compiles. Throws `ProjectError` with all that was found. */
export async function makePlan(directory: string): Promise<MadePlan> {
  const { registry, places, problems } = await loadDefinitions(directory)
  if (problems.some(({ severity }) => severity === 'error')) throw new ProjectError(problems)
  try {
    parseCatalog(catalogFile)
    for (const { definition } of registry.all) requireSchemas(definition)
    const plan = compilePlan(registry, places)
    return {
      plan,
      warnings: [...problems, ...registry.all.flatMap(({ definition }) => warnOfWaits(definition))],
    }
  } catch (error) {
    throw new ProjectError([...problems, errorOf(error instanceof Error ? error.message : String(error))])
  }
}

/** A job of a group may wait longer than its author wrote, since jobs that do not nest run by levels. */
function warnOfWaits(definition: Definition): readonly Problem[] {
  if (definition.kind !== 'doer') return []
  const groups = nodesOf(definition.plan).filter((node) => node.kind === 'group')
  return groups.flatMap((group) =>
    longerWaits(group).map(({ job, others }) => {
      const names = others.map(({ name }) => `"${name}"`).join(', ')
      return warningOf(
        `doer "${definition.name}", group "${group.name}": job "${job.name}" also waits for ${names}, since these jobs do not nest and so run by levels`,
      )
    }),
  )
}

/** What a model cannot be offered is found here, and not in the first turn. Throws `DefinitionError`. */
function requireSchemas(definition: Definition): void {
  inputSchema(definition)
  if (definition.kind === 'thinker') answerSchema(definition)
}
