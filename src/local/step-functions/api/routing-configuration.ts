import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { parseMachineArn, qualifiedArn } from '../names.ts'
import type { Route } from '../store/alias-store.ts'

/** An alias's versions with their share of the executions in percent, as the API has them. Step Functions: one or two. */
export const routingConfiguration = z
  .array(z.object({ stateMachineVersionArn: z.string().min(1).max(256), weight: z.int().min(0).max(100) }))
  .min(1)
  .max(2)
export type RoutingConfiguration = z.output<typeof routingConfiguration>

/**
 * The machine and the shares of its versions. Throws `InvalidArn`, and `ValidationException` unless they are distinct versions of one
 * machine whose weights sum up to 100. Whether the versions exist is not looked at.
 */
export function parseRouting(configuration: RoutingConfiguration): {
  readonly machineArn: string
  readonly routing: [Route, ...Route[]]
} {
  const arns = configuration.map(({ stateMachineVersionArn }) => stateMachineVersionArn)
  const weights = configuration.map(({ weight }) => weight)
  const received = `Received: [${arns.join(', ')}]`
  const [first, ...others] = configuration.map(({ stateMachineVersionArn, weight }) => {
    const reference = parseMachineArn(stateMachineVersionArn)
    if (reference.kind !== 'version')
      throw invalid(`Routing configuration must contain state machine version ARNs. ${received}`)
    return { machineArn: reference.machineArn, route: { versionNumber: reference.number, weight } }
  })
  if (first === undefined) throw invalid(`Routing configuration must not be empty. ${received}`)
  if (new Set(arns).size < arns.length)
    throw invalid(`Routing configuration must contain distinct state machine version ARNs. ${received}`)
  if (others.some(({ machineArn }) => machineArn !== first.machineArn))
    throw invalid(`Routing configuration must contain versions of one state machine. ${received}`)
  if (weights.reduce((sum, weight) => sum + weight, 0) !== 100)
    throw invalid(`Sum of routing configuration weights must equal 100. Received: [${weights.join(', ')}]`)
  return { machineArn: first.machineArn, routing: [first.route, ...others.map(({ route }) => route)] }
}

/** The inverse of `parseRouting`. */
export function toRoutingConfiguration(machineArn: string, routing: readonly Route[]): RoutingConfiguration {
  return routing.map(({ versionNumber, weight }) => ({
    stateMachineVersionArn: qualifiedArn(machineArn, versionNumber),
    weight,
  }))
}

function invalid(problem: string): ApiError {
  return new ApiError('ValidationException', problem)
}
