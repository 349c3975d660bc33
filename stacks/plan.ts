import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plan, planSchema } from '../src/compile/plan.ts'

/**
 * Writes the plan of a project, given by its absolute directory, and the entries of its functions, and reads
 * the plan. It is written by a process of its own: SST runs a bundle of this file on whatever Node there is,
 * and definitions are found by file on the Node that is deployed, which npm's scripts have. Throws with all
 * that is wrong with the definitions.
 */
export function writePlan(directory: string): Plan {
  const words = ['run', '--silent', 'turnwise', '--', 'plan', '--directory', directory]
  const { status, stdout, stderr, error } = spawnSync('npm', words, { cwd: directory, encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`The plan could not be written:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  return planSchema.parse(JSON.parse(readFileSync(join(directory, '.turnwise/plan.json'), 'utf8')))
}
