import * as z from 'zod'
import { bundleFunctions, type FunctionBundle } from './bundle-functions.ts'
import { type LocalFunction, localFunctionSchema } from './local-function.ts'

/** A function that can be invoked. */
export interface DeployedFunction {
  readonly definition: LocalFunction
  readonly bundleFile: string
}

export interface FunctionRegistry {
  get(name: string): DeployedFunction | undefined
  /** Bundles and adds functions, or throws and adds none: for one outside Lambda's bounds or with a taken name. */
  add(functions: readonly LocalFunction[]): Promise<readonly FunctionBundle[]>
}

export function createFunctionRegistry(directory: string): FunctionRegistry {
  const deployed = new Map<string, DeployedFunction>()
  return {
    get: (name) => deployed.get(name),
    async add(functions) {
      const definitions = functions.map(parseFunction)
      const names = [...deployed.keys(), ...definitions.map(({ name }) => name)]
      checkNames(names)
      checkDestinations(definitions, names)
      const bundles = await bundleFunctions(definitions, directory)
      const fileOf = new Map(bundles.map(({ name, file }) => [name, file]))
      for (const definition of definitions) {
        deployed.set(definition.name, { definition, bundleFile: fileOf.get(definition.name) ?? '' })
      }
      return bundles
    },
  }
}

function parseFunction(definition: LocalFunction): LocalFunction {
  const { data, error } = localFunctionSchema.safeParse(definition)
  if (data === undefined) throw new Error(`Lambda refuses "${definition.name}":\n${z.prettifyError(error)}`)
  return data
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`Two functions are named "${twice}"`)
}

function checkDestinations(definitions: readonly LocalFunction[], names: readonly string[]): void {
  for (const { name, asynchronous } of definitions) {
    const destination = asynchronous?.onFailure
    if (destination === undefined || names.includes(destination)) continue
    throw new Error(`"${name}" sends its failures to "${destination}"; known: ${names.join(', ')}`)
  }
}
