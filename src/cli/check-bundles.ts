import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan, PlannedFunction } from '../compile/plan.ts'
import { type BundlePlaces, bundleEntries, entryFile } from './bundle-entries.ts'
import { type HeldPackage, heldPackages } from './held-packages.ts'
import { errorOf, type Problem } from './problem.ts'

/**
 * Bundles the functions as a deployment does, and reports what does not bundle, and each package that a turn or doer
 * function or the gateway would load at its start only because a tool's code needs it.
 */
export async function checkBundles(plan: Plan, places: BundlePlaces): Promise<readonly Problem[]> {
  const bundled = await bundleEntries(plan.functions, places)
  if (bundled.kind === 'failed') return bundled.errors.map(errorOf)
  const tools = toolsByFile(plan)
  const held = plan.functions
    .filter(({ door }) => door === 'turn' || door === 'doer' || door === 'gateway')
    .flatMap((planned) =>
      heldPackages(entryFile(planned.id), bundled.metafile, tools).map((each) => [planned, each] as const),
    )
  return Promise.all(held.map(([planned, each]) => explain(planned, each, places.directory)))
}

function toolsByFile({ functions }: Plan): ReadonlyMap<string, string> {
  const tools = new Map<string, string>()
  for (const { door, definition } of functions)
    if (door === 'tool' && definition !== undefined) tools.set(definition.file, definition.name)
  return tools
}

async function explain({ id }: PlannedFunction, held: HeldPackage, directory: string): Promise<Problem> {
  const { importer, specifier } = held
  const source = await readFile(join(directory, importer), 'utf8')
  const line = source.split('\n').findIndex((text) => importsAtLoad(text, specifier)) + 1
  const tools = held.tools.map((name) => `"${name}"`).join(', ')
  return errorOf(
    `function ${id} loads the package ${held.package} at its start, which only the code of tool ${tools} needs: ` +
      `${importer}:${line} imports it; import it where it is used, with \`await import('${specifier}')\` in a resource's \`open\``,
  )
}

function importsAtLoad(line: string, specifier: string): boolean {
  return !line.includes('import(') && (line.includes(`'${specifier}'`) || line.includes(`"${specifier}"`))
}
