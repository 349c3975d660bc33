import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { copyProject } from '../../support/test-project.ts'
import type { Synthesis } from './synth/synth.ts'

const RUNNER = join(import.meta.dirname, 'synth/synth.ts')

/** What `sst deploy` would make of a project, as a test looks at it. */
export interface Deployment {
  /** The inputs of every resource of a type (`aws:lambda/function:Function`), by the resource's name. */
  all(type: string): ReadonlyMap<string, Inputs>
  /** The inputs of one resource. Throws when there is none, naming those that there are. */
  one(type: string, name: string): Inputs
  /** What a role may do: by action, the resources, as they end (`function:turnwise-test-resume`); sorted. */
  rights(role: string): Readonly<Record<string, readonly string[]>>
  readonly built: Synthesis['built']
}

export type Inputs = Readonly<Record<string, unknown>>

/** Runs sst.config.ts over the definitions in a directory, given from the root of the repository. */
export async function synthesize(functionsDirectory: string): Promise<Deployment> {
  const project = await copyProject(functionsDirectory)
  try {
    const out = join(project.directory, 'resources.json')
    await promisify(execFile)(process.execPath, [RUNNER, '--directory', project.directory, '--out', out])
    return look(JSON.parse(await readFile(out, 'utf8')))
  } finally {
    await project.remove()
  }
}

function look({ resources, built }: Synthesis): Deployment {
  const all = (type: string) =>
    new Map(resources.filter((each) => each.type === type).map(({ name, inputs }) => [name, inputs]))
  const one = (type: string, name: string) => {
    const found = all(type).get(name)
    if (found === undefined) throw new Error(`No ${type} is named "${name}": ${[...all(type).keys()]}`)
    return found
  }
  return { all, one, built, rights: (role) => rightsOf(one('aws:iam/role:Role', role)) }
}

const Role = z.object({ inlinePolicies: z.array(z.object({ policy: z.string() })) })
const Policy = z.object({
  statements: z.array(z.object({ actions: z.array(z.string()), resources: z.array(z.string()) })),
})

function rightsOf(role: Inputs): Readonly<Record<string, readonly string[]>> {
  const rights: Record<string, readonly string[]> = {}
  for (const { policy } of Role.parse(role).inlinePolicies)
    for (const { actions, resources } of Policy.parse(JSON.parse(policy)).statements)
      for (const action of actions)
        rights[action] = [...(rights[action] ?? []), ...resources.map(withoutPlace)].toSorted()
  return rights
}

/** `table/runs` of `arn:aws:dynamodb:us-east-1:123456789012:table/runs`. */
const withoutPlace = (arn: string): string => arn.split(':').slice(5).join(':')
