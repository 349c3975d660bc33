import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { parseMachine } from '../definition/parse-machine.ts'
import { ApiError } from '../errors.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../limits.ts'
import { type Place, requireArn, requireName, stateMachineArn } from '../names.ts'
import type { MachineRecord, MachineStore } from '../store/machine-store.ts'
import { fromPageToken, type Operation, operation, toPageToken, toSeconds } from './operation.ts'

export interface MachineDependencies {
  readonly machines: MachineStore
  readonly clock: Clock
  readonly place: Place
  uuid(): string
}

/** The machine by its ARN. Throws `InvalidArn` or `StateMachineDoesNotExist`. */
export function requireMachine(machines: MachineStore, arn: string): MachineRecord {
  requireArn(arn, 'stateMachine')
  const machine = machines.find(arn)
  if (machine === undefined)
    throw new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`)
  return machine
}

/** Create, update, describe and list state machines. */
export function createMachineOperations({
  machines,
  clock,
  place,
  uuid,
}: MachineDependencies): Record<string, Operation> {
  return {
    CreateStateMachine: operation(
      z.object({
        name: z.string(),
        definition: z.string(),
        roleArn: z.string(),
        type: z.literal('STANDARD', 'this stand-in runs STANDARD machines alone').optional(),
      }),
      ({ name, definition, roleArn }) => {
        requireName(name)
        const arn = stateMachineArn(place, name)
        const existing = machines.find(arn)
        // AWS compares definitions as text, and ignores another role.
        if (existing !== undefined && existing.definition !== definition)
          throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${arn}'`)
        if (existing !== undefined) return created(existing)
        parseMachine(definition)
        const nowMs = clock.now()
        const machine = {
          arn,
          name,
          definition,
          roleArn,
          createdMs: nowMs,
          updatedMs: nowMs,
          revisionId: undefined,
        }
        machines.save(machine)
        return created(machine)
      },
    ),
    UpdateStateMachine: operation(
      z.object({
        stateMachineArn: z.string(),
        definition: z.string().optional(),
        roleArn: z.string().optional(),
      }),
      (request) => {
        const machine = requireMachine(machines, request.stateMachineArn)
        const { definition = machine.definition, roleArn = machine.roleArn } = request
        parseMachine(definition)
        const updated = { ...machine, definition, roleArn, updatedMs: clock.now(), revisionId: uuid() }
        machines.save(updated)
        return { updateDate: toSeconds(updated.updatedMs), revisionId: updated.revisionId }
      },
    ),
    DescribeStateMachine: operation(z.object({ stateMachineArn: z.string() }), (request) =>
      described(requireMachine(machines, request.stateMachineArn)),
    ),
    ListStateMachines: operation(
      z.object({
        maxResults: z.int().min(0).max(MAXIMUM_PAGE_SIZE).optional(),
        nextToken: z.string().optional(),
      }),
      ({ maxResults, nextToken }) => {
        const limit = maxResults || DEFAULT_PAGE_SIZE
        const found = machines.list(nextToken === undefined ? '' : fromPageToken(nextToken), limit + 1)
        const page = found.slice(0, limit)
        const last = page.at(-1)
        return {
          stateMachines: page.map(({ arn, name, createdMs }) => ({
            stateMachineArn: arn,
            name,
            type: 'STANDARD',
            creationDate: toSeconds(createdMs),
          })),
          ...(found.length > limit && last !== undefined ? { nextToken: toPageToken(last.arn) } : {}),
        }
      },
    ),
  }
}

function created({ arn, createdMs }: MachineRecord): unknown {
  return { stateMachineArn: arn, creationDate: toSeconds(createdMs) }
}

function described({ arn, name, definition, roleArn, createdMs, revisionId }: MachineRecord): unknown {
  return {
    stateMachineArn: arn,
    name,
    status: 'ACTIVE',
    definition,
    roleArn,
    type: 'STANDARD',
    creationDate: toSeconds(createdMs),
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
    ...(revisionId === undefined ? {} : { revisionId }),
  }
}
