import * as z from 'zod'
import { ApiError } from '../errors.ts'
import type { MachineRecord, MachineStore } from '../store/machine-store.ts'
import type { VersionRecord } from '../store/version-store.ts'

/** Step Functions: a machine has at most 1,000 versions. */
const MAXIMUM_VERSIONS = 1_000

/** Step Functions: a version's description has at most 256 characters. */
export const versionDescription = z.string().max(256)

/** The members by which a machine is published as it is created or updated. */
export const publishRequest = {
  publish: z.boolean().default(false),
  versionDescription: versionDescription.optional(),
}

/** Throws `ValidationException` for the description of a version that is not to be published. */
export function checkVersionDescription(request: {
  readonly publish: boolean
  readonly versionDescription?: string | undefined
}): void {
  if (request.versionDescription !== undefined && !request.publish)
    throw new ApiError('ValidationException', 'Version description can only be set when publish is true')
}

/** A machine with the version that holds its current revision. */
export interface Published {
  readonly machine: MachineRecord
  readonly version: VersionRecord
  /** False when the revision had been published before: nothing is to be stored. */
  readonly isNew: boolean
}

/**
 * The version of a machine's current revision: the one that is there, whatever its description, else the next number's. It stores nothing:
 * what is new is saved with the machine. Throws `ServiceQuotaExceededException`.
 */
export function publishVersion(
  { versions }: MachineStore,
  machine: MachineRecord,
  description: string | undefined,
  nowMs: number,
): Published {
  const existing = versions.ofRevision(machine.arn, machine.revisionId)
  if (existing !== undefined) return { machine, version: existing, isNew: false }
  if (versions.count(machine.arn) >= MAXIMUM_VERSIONS)
    throw new ApiError(
      'ServiceQuotaExceededException',
      `The state machine has ${MAXIMUM_VERSIONS} versions, the most there can be; delete those that nothing uses`,
    )
  const number = machine.lastVersion + 1
  const { arn: machineArn, definition, roleArn, configuration, revisionId } = machine
  return {
    machine: { ...machine, lastVersion: number },
    version: {
      machineArn,
      number,
      definition,
      roleArn,
      configuration,
      revisionId,
      description,
      createdMs: nowMs,
    },
    isNew: true,
  }
}
