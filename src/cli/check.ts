import { resolve } from 'node:path'
import { checkBundles } from './check-bundles.ts'
import { SOURCES } from './entries.ts'
import { makePlan } from './make-plan.ts'
import { type Problem, ProjectError } from './problem.ts'

/**
 * All that is wrong with a project: definitions, files, circles of imports, bundles. Writes nothing.
 * `sources`: where the doors are.
 */
export async function check(projectDirectory: string, sources = SOURCES): Promise<readonly Problem[]> {
  const directory = resolve(projectDirectory)
  try {
    const { plan, warnings } = await makePlan(directory)
    return [...warnings, ...(await checkBundles(plan, { directory, sources }))]
  } catch (error) {
    if (error instanceof ProjectError) return error.problems
    throw error
  }
}
