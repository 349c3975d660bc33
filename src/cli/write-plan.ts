import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
  await mkdir(folder, { recursive: true })
  const entries = new Map(plan.functions.map((planned) => [join(directory, planned.entry), planned]))
  for (const name of await readdir(folder))
    if (!entries.has(join(folder, name))) await rm(join(folder, name), { recursive: true })
  for (const [file, planned] of entries)
    await writeChanged(file, entryText(planned, { directory, sources: SOURCES, folder }))
  await writeFile(join(directory, PLAN_FILE), `${JSON.stringify(plan, null, 2)}\n`)
  return plan
}

/** An entry that stays as it was keeps its time, and with it the bundle that was made of it. */
async function writeChanged(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) await writeFile(file, text)
}
