import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../errors.ts'
import { MAXIMUM_NAME_LENGTH } from '../limits.ts'
import { parseAliasArn, parseMachineArn, qualifiedArn } from '../names.ts'
import type { AliasRecord, Route } from '../store/alias-store.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { pageRequest, readPage } from './pages.ts'
import { requireActiveMachine } from './require-machine.ts'
import { parseRouting, routingConfiguration, toRoutingConfiguration } from './routing-configuration.ts'

/** Step Functions: letters, digits and `_-.`, not digits alone, for those are a version's number. */
const ALIAS_NAME = /^(?=.*[a-zA-Z_\-.])[a-zA-Z0-9_\-.]+$/
const aliasName = z
  .string()
  .min(1)
  .max(MAXIMUM_NAME_LENGTH)
  .regex(ALIAS_NAME, `Member must satisfy regular expression pattern: ${ALIAS_NAME.source}`)
const description = z.string().max(256).optional()

/** Step Functions: a machine has at most 100 aliases. */
const MAXIMUM_ALIASES = 100

/** Create, update, delete, describe and list aliases. One that is not there is `ResourceNotFound`, but may be deleted. */
export function createAliasOperations({
  machines,
  clock,
}: {
  readonly machines: MachineStore
  readonly clock: Clock
}): Record<string, Operation> {
  const { aliases, versions } = machines
  return {
    CreateStateMachineAlias: operation(
      z.object({ name: aliasName, description, routingConfiguration }),
      (request) => {
        const { machineArn, routing } = parseRouting(request.routingConfiguration)
        requireActiveMachine(machines, machineArn)
        requireVersions(machineArn, routing)
        const nowMs = clock.now()
        const wanted = { machineArn, name: request.name, description: request.description, routing }
        const existing = aliases.find(machineArn, request.name)
        if (existing === undefined) {
          refuseTooMany(machineArn)
          aliases.save({ ...wanted, createdMs: nowMs, updatedMs: nowMs })
        } else if (!isDeepStrictEqual({ ...existing, ...wanted }, existing))
          throw new ApiError(
            'ConflictException',
            'Failed to create alias because an alias with the same name and a different routing configuration already exists.',
          )
        return listed({ ...wanted, createdMs: existing?.createdMs ?? nowMs })
      },
    ),
    UpdateStateMachineAlias: operation(
      z.object({
        stateMachineAliasArn: z.string(),
        description,
        routingConfiguration: routingConfiguration.optional(),
      }),
      (request) => {
        const alias = requireAlias(request.stateMachineAliasArn)
        requireActiveMachine(machines, alias.machineArn)
        if (request.description === undefined && request.routingConfiguration === undefined)
          throw new ApiError(
            'ValidationException',
            'Either the description or the routingConfiguration must be specified',
          )
        const routing = changeRouting(alias, request.routingConfiguration)
        const updatedMs = clock.now()
        aliases.save({
          ...alias,
          description: request.description ?? alias.description,
          routing,
          updatedMs,
        })
        return { updateDate: toSeconds(updatedMs) }
      },
    ),
    DeleteStateMachineAlias: operation(
      z.object({ stateMachineAliasArn: z.string() }),
      ({ stateMachineAliasArn }) => {
        const { machineArn, name } = parseAliasArn(stateMachineAliasArn)
        aliases.remove(machineArn, name)
        return {}
      },
    ),
    DescribeStateMachineAlias: operation(z.object({ stateMachineAliasArn: z.string() }), (request) => {
      const alias = requireAlias(request.stateMachineAliasArn)
      return {
        ...listed(alias),
        name: alias.name,
        ...(alias.description === undefined ? {} : { description: alias.description }),
        routingConfiguration: toRoutingConfiguration(alias.machineArn, alias.routing),
        updateDate: toSeconds(alias.updatedMs),
      }
    }),
    /** In order of name; those that lead to it, for a version's ARN. */
    ListStateMachineAliases: operation(
      z.object({ stateMachineArn: z.string(), ...pageRequest }),
      ({ stateMachineArn, ...request }) => {
        const reference = parseMachineArn(stateMachineArn)
        requireActiveMachine(machines, reference.kind === 'version' ? reference.machineArn : stateMachineArn)
        const all =
          reference.kind === 'version'
            ? aliases.ofVersion(reference.machineArn, reference.number)
            : aliases.ofMachine(reference.machineArn)
        const { items, next } = readPage(
          stateMachineArn,
          request,
          (afterName = '', limit) => all.filter(({ name }) => name > afterName).slice(0, limit),
          ({ name }) => name,
        )
        return { stateMachineAliases: items.map(listed), ...next }
      },
    ),
  }

  function requireAlias(arn: string): AliasRecord {
    const { machineArn, name } = parseAliasArn(arn)
    const alias = machines.find(machineArn) && aliases.find(machineArn, name)
    if (alias === undefined) throw notFound()
    return alias
  }

  function requireVersions(machineArn: string, routing: readonly Route[]): void {
    if (routing.some(({ versionNumber }) => versions.find(machineArn, versionNumber) === undefined))
      throw notFound()
  }

  function changeRouting(
    { machineArn, routing: before }: AliasRecord,
    configuration: z.output<typeof routingConfiguration> | undefined,
  ): Route[] {
    if (configuration === undefined) return before
    const { machineArn: routedArn, routing } = parseRouting(configuration)
    if (routedArn !== machineArn)
      throw new ApiError(
        'ValidationException',
        `Routing configuration must contain versions of the alias's own state machine, ${machineArn}. Received: ${routedArn}`,
      )
    requireVersions(machineArn, routing)
    return routing
  }

  function refuseTooMany(machineArn: string): void {
    if (aliases.ofMachine(machineArn).length >= MAXIMUM_ALIASES)
      throw new ApiError(
        'ServiceQuotaExceededException',
        `The state machine has ${MAXIMUM_ALIASES} aliases, the most there can be; delete those that nothing uses`,
      )
  }
}

function listed({ machineArn, name, createdMs }: Pick<AliasRecord, 'machineArn' | 'name' | 'createdMs'>): {
  stateMachineAliasArn: string
  creationDate: number
} {
  return { stateMachineAliasArn: qualifiedArn(machineArn, name), creationDate: toSeconds(createdMs) }
}

function notFound(): ApiError {
  return new ApiError('ResourceNotFound', 'Request references a resource that does not exist.')
}
