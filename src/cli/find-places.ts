import type { Place } from '../compile/plan.ts'
import type { Definition } from '../core/definition.ts'
import type { Registry } from '../core/registry.ts'
import { conventionalPlace } from './conventional-place.ts'
import { errorOf, type Problem, warningOf } from './problem.ts'
import { exportsOf, fileExists, filesUnder } from './project-files.ts'

export interface FoundPlaces {
  readonly places: ReadonlyMap<string, Place>
  readonly problems: readonly Problem[]
}

/**
 * Finds the file and the export of each definition. One that is not in the file named for it is an error that
 * says where it belongs.
 */
export async function findPlaces(directory: string, registry: Registry): Promise<FoundPlaces> {
  const places = new Map<string, Place>()
  const reached = new Set<string>()
  const problems: Problem[] = []
  for (const { definition } of registry.all) {
    const right = conventionalPlace(definition)
    const found = (await holds(directory, right, definition)) ? right : await search(directory, definition)
    if (found !== undefined) reached.add(found.file)
    if (found === right) places.set(definition.name, right)
    else problems.push(errorOf(misplaced(definition, right, found)))
  }
  return { places, problems: [...problems, ...(await unreached(directory, reached))] }
}

async function holds(directory: string, place: Place, definition: Definition): Promise<boolean> {
  if (!fileExists(directory, place.file)) return false
  return (await exportsOf(directory, place.file))[place.export] === definition
}

async function search(directory: string, definition: Definition): Promise<Place | undefined> {
  for (const file of await filesUnder(directory, 'functions')) {
    // A file that nobody reaches may fail to load; it cannot hold a definition that is loaded.
    const exported = await exportsOf(directory, file).catch(() => ({}))
    const found = Object.entries(exported).find(([, value]) => value === definition)
    if (found !== undefined) return { name: definition.name, file, export: found[0] }
  }
  return undefined
}

function misplaced({ kind, name }: Definition, right: Place, found: Place | undefined): string {
  const wrong =
    found === undefined ? 'exported by no file under functions/' : `\`${found.export}\` in ${found.file}`
  return `${kind} "${name}" is ${wrong}; it belongs in ${right.file} as \`export const ${right.export}\``
}

async function unreached(directory: string, reached: ReadonlySet<string>): Promise<readonly Problem[]> {
  const files = await Promise.all(
    ['tools', 'thinkers', 'doers'].map((folder) => filesUnder(directory, `functions/${folder}`)),
  )
  return files
    .flat()
    .filter((file) => !reached.has(file))
    .map((file) => warningOf(`${file}: no agent reaches it, so it is not deployed`))
}
