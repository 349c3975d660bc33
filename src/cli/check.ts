import { resolve } from 'node:path'
import type { PlannedMachine } from '../compile/plan.ts'
import { checkBundles } from './check-bundles.ts'
import { SOURCES } from './entries.ts'
import { makePlan } from './make-plan.ts'
import { type Problem, ProjectError } from './problem.ts'

export interface Checked {
  readonly problems: readonly Problem[]
  /** The machines of the plan, with what they come to at worst; none where there is no plan. */
  readonly machines: readonly PlannedMachine[]
}

/**
 * All that is wrong with a project: definitions, files, circles of imports, bundles. Writes nothing.
 * `sources`: where the doors are.
 */
export async function check(projectDirectory: string, sources = SOURCES): Promise<Checked> {
  const directory = resolve(projectDirectory)
  try {
    const { plan, warnings } = await makePlan(directory)
    const problems = [...warnings, ...(await checkBundles(plan, { directory, sources }))]
    return { problems, machines: plan.machines }
  } catch (error) {
    if (error instanceof ProjectError) return { problems: error.problems, machines: [] }
    throw error
  }
}
