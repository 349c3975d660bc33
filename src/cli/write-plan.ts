import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Plan } from '../compile/plan.ts'
import { entryText, SOURCES } from './entries.ts'
import { makePlan } from './make-plan.ts'

export const PLAN_FILE = '.turnwise/plan.json'

/**
 * Writes a project's plan and the entries of its functions under `.turnwise/`; entries of earlier plans are
 * removed. Throws `ProjectError`.
 */
export async function writePlan(projectDirectory: string): Promise<Plan> {
  const directory = resolve(projectDirectory)
  const { plan } = await makePlan(directory)
  const folder = join(directory, '.turnwise/entries')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const planned of plan.functions)
    await writeFile(
      join(directory, planned.entry),
      entryText(planned, { directory, sources: SOURCES, folder }),
    )
  await writeFile(join(directory, PLAN_FILE), `${JSON.stringify(plan, null, 2)}\n`)
  return plan
}
