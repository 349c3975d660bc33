import * as z from 'zod'
import { bundleFunctions, type FunctionBundle } from './bundle-functions.ts'
import { reservedConcurrency } from './concurrency.ts'
import { destinationsOf, type LocalFunction, localFunctionSchema } from './local-function.ts'

/** A function that can be invoked. */
export interface DeployedFunction {
  readonly definition: LocalFunction
  readonly bundleFile: string
}

export interface FunctionRegistry {
  get(name: string): DeployedFunction | undefined
  definitions(): readonly LocalFunction[]
  /**
   * Bundles and adds functions, or throws and adds none: for one outside Lambda's bounds, with a taken name or with a
   * destination that is not there, and when what they reserve leaves less than `minimumUnreserved`.
   */
  add(functions: readonly LocalFunction[]): Promise<readonly FunctionBundle[]>
}

export interface FunctionRegistryOptions {
  readonly directory: string
  readonly accountConcurrency: number
  readonly minimumUnreserved: number
}

export function createFunctionRegistry(options: FunctionRegistryOptions): FunctionRegistry {
  const deployed = new Map<string, DeployedFunction>()
  return {
    get: (name) => deployed.get(name),
    definitions: () => [...deployed.values()].map(toDefinition),
    async add(functions) {
      const definitions = functions.map(parseFunction)
      const names = [...deployed.keys(), ...definitions.map(({ name }) => name)]
      checkNames(names)
      checkDestinations(definitions, names)
      checkReservations([...deployed.values()].map(toDefinition).concat(definitions), options)
      const bundles = await bundleFunctions(definitions, options.directory)
      const fileOf = new Map(bundles.map(({ name, file }) => [name, file]))
      for (const definition of definitions) {
        deployed.set(definition.name, { definition, bundleFile: fileOf.get(definition.name) ?? '' })
      }
      return bundles
    },
  }
}

const toDefinition = ({ definition }: DeployedFunction) => definition

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
  for (const definition of definitions) {
    const lost = destinationsOf(definition).find(({ to }) => !names.includes(to))
    if (lost === undefined) continue
    throw new Error(`"${definition.name}" sends its ${lost.of} to "${lost.to}"; known: ${names.join(', ')}`)
  }
}

/** In AWS's words for it, an InvalidParameterValueException of PutFunctionConcurrency. */
function checkReservations(
  definitions: readonly LocalFunction[],
  { accountConcurrency, minimumUnreserved }: FunctionRegistryOptions,
): void {
  const reserved = reservedConcurrency(definitions)
  if (reserved === 0 || accountConcurrency - reserved >= minimumUnreserved) return
  throw new Error(
    `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${minimumUnreserved}]: functions reserve ${reserved} of ${accountConcurrency}`,
  )
}
