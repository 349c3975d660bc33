import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../errors.ts'
import { type Place, parseMachineArn } from '../names.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { createMachine, createRequest } from './create-machine.ts'
import { describeMachine } from './describe-machine.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { pageRequest, readPage } from './pages.ts'
import { updateMachine, updateRequest } from './update-machine.ts'

export interface MachineDependencies {
  readonly machines: MachineStore
  readonly clock: Clock
  readonly place: Place
  uuid(): string
}

/** Create, update, delete, describe and list state machines. */
export function createMachineOperations(dependencies: MachineDependencies): Record<string, Operation> {
  const { machines } = dependencies
  return {
    CreateStateMachine: operation(createRequest, (request) => createMachine(dependencies, request)),
    UpdateStateMachine: operation(updateRequest, (request) => updateMachine(dependencies, request)),
    /** What runs ends at its next transition to a state, and the machine is DELETING until then. One that is not there is as good as deleted. */
    DeleteStateMachine: operation(z.object({ stateMachineArn: z.string() }), ({ stateMachineArn }) => {
      const { kind, machineArn } = parseMachineArn(stateMachineArn)
      if (kind !== 'machine')
        throw new ApiError(
          'ValidationException',
          `DeleteStateMachine takes the ARN of a state machine, such as ${machineArn}, not of a ${kind}: ${stateMachineArn}`,
        )
      machines.remove(machineArn)
      return {}
    }),
    DescribeStateMachine: operation(
      z.object({
        stateMachineArn: z.string(),
        includedData: z.enum(['ALL_DATA', 'METADATA_ONLY']).default('ALL_DATA'),
      }),
      ({ stateMachineArn, includedData }) => describeMachine(machines, stateMachineArn, includedData),
    ),
    /** In order of ARN. */
    ListStateMachines: operation(z.object(pageRequest), (request) => {
      const { items, next } = readPage(
        'ListStateMachines',
        request,
        (afterArn = '', limit) => machines.list(afterArn, limit),
        ({ arn }) => arn,
      )
      return {
        stateMachines: items.map(({ arn, name, type, createdMs }) => ({
          stateMachineArn: arn,
          name,
          type,
          creationDate: toSeconds(createdMs),
        })),
        ...next,
      }
    }),
  }
}
