import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../errors.ts'
import { parseVersionArn, qualifiedArn, requireArn } from '../names.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { pageRequest, readPage } from './pages.ts'
import { publishVersion, versionDescription } from './publish-version.ts'
import { requireActiveMachine } from './require-machine.ts'

/** What stands for the revision of a machine that was never updated. */
const INITIAL_REVISION = 'INITIAL'

/** Publish, delete and list versions; a version is described by DescribeStateMachine. */
export function createVersionOperations({
  machines,
  clock,
}: {
  readonly machines: MachineStore
  readonly clock: Clock
}): Record<string, Operation> {
  const { versions, aliases } = machines
  return {
    PublishStateMachineVersion: operation(
      z.object({
        stateMachineArn: z.string(),
        revisionId: z.string().optional(),
        description: versionDescription.optional(),
      }),
      ({ stateMachineArn, revisionId, description }) => {
        const machine = requireActiveMachine(machines, stateMachineArn)
        const { revisionId: current = INITIAL_REVISION } = machine
        if (revisionId !== undefined && revisionId !== current)
          throw new ApiError(
            'ConflictException',
            `Failed to publish the State Machine version for revision ${revisionId}. The current State Machine revision is ${current}.`,
          )
        const published = publishVersion(machines, machine, description, clock.now())
        if (published.isNew) machines.save(published.machine, { version: published.version })
        const { number, createdMs } = published.version
        return {
          creationDate: toSeconds(createdMs),
          stateMachineVersionArn: qualifiedArn(machine.arn, number),
        }
      },
    ),
    DeleteStateMachineVersion: operation(
      z.object({ stateMachineVersionArn: z.string() }),
      ({ stateMachineVersionArn }) => {
        const { machineArn, number } = parseVersionArn(stateMachineVersionArn)
        const names = aliases.ofVersion(machineArn, number).map(({ name }) => name)
        if (names.length > 0)
          throw new ApiError(
            'ConflictException',
            `Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [${names.join(', ')}]`,
          )
        versions.remove(machineArn, number)
        return {}
      },
    ),
    /** Newest first; a machine that is not there has none. */
    ListStateMachineVersions: operation(
      z.object({ stateMachineArn: z.string(), ...pageRequest }),
      ({ stateMachineArn, ...request }) => {
        requireArn(stateMachineArn, 'stateMachine')
        const { items, next } = readPage(
          stateMachineArn,
          request,
          (afterNumber, limit) =>
            versions.list(stateMachineArn, Number(afterNumber ?? Number.MAX_SAFE_INTEGER), limit),
          ({ number }) => String(number),
        )
        return {
          stateMachineVersions: items.map(({ number, createdMs }) => ({
            stateMachineVersionArn: qualifiedArn(stateMachineArn, number),
            creationDate: toSeconds(createdMs),
          })),
          ...next,
        }
      },
    ),
  }
}
