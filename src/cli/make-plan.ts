import catalogFile from '../../catalog.json' with { type: 'json' }
import { compilePlan } from '../compile/compile-plan.ts'
import type { Plan } from '../compile/plan.ts'
import type { Definition } from '../core/definition.ts'
import { parseCatalog } from '../model/catalog.ts'
import { answerSchema, inputSchema } from '../model/json-schema.ts'
import { loadDefinitions } from './load-definitions.ts'
import { errorOf, type Problem, ProjectError } from './problem.ts'

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
    return { plan: compilePlan(registry, places), warnings: problems }
  } catch (error) {
    throw new ProjectError([...problems, errorOf(error instanceof Error ? error.message : String(error))])
  }
}

/** What a model cannot be offered is found here, and not in the first turn. Throws `DefinitionError`. */
function requireSchemas(definition: Definition): void {
  inputSchema(definition)
  if (definition.kind === 'thinker') answerSchema(definition)
}
