import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { parseMachine } from '../definition/parse-machine.ts'
import { ApiError } from '../errors.ts'
import { type Place, qualifiedArn, requireName, stateMachineArn } from '../names.ts'
import { machineConfiguration } from '../store/machine-configuration.ts'
import type { MachineRecord, MachineStore } from '../store/machine-store.ts'
import { changeConfiguration, configurationRequest } from './machine-configuration.ts'
import { toSeconds } from './operation.ts'
import { checkVersionDescription, publishRequest, publishVersion } from './publish-version.ts'
import { refuseDeleting } from './require-machine.ts'
import { checkTagCount, tagList } from './tag-operations.ts'

export const createRequest = z.object({
  name: z.string(),
  definition: z.string(),
  roleArn: z.string().min(1).max(256),
  type: z.enum(['STANDARD', 'EXPRESS']).default('STANDARD'),
  tags: tagList.default([]),
  ...configurationRequest,
  ...publishRequest,
})

/**
 * CreateStateMachine. One that is there is answered again when name, definition (as text), type, configurations, `publish` and
 * `versionDescription` are those of before; another role and other tags are ignored, as on AWS. Else it throws `StateMachineAlreadyExists`.
 */
export function createMachine(
  {
    machines,
    clock,
    place,
  }: { readonly machines: MachineStore; readonly clock: Clock; readonly place: Place },
  request: z.output<typeof createRequest>,
): unknown {
  const { name, definition, roleArn, type, tags, publish } = request
  requireName(name)
  checkVersionDescription(request)
  const arn = stateMachineArn(place, name)
  const configuration = changeConfiguration(machineConfiguration.parse({}), request)
  const created = { publish, versionDescription: request.versionDescription }
  const existing = machines.find(arn)
  if (existing !== undefined) {
    refuseDeleting(existing)
    if (!isDeepStrictEqual({ ...existing, definition, type, configuration, created }, existing))
      throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${arn}'`)
    return answer(existing)
  }
  parseMachine(definition, type)
  checkTagCount(arn, [], tags)
  const nowMs = clock.now()
  const machine: MachineRecord = {
    arn,
    name,
    definition,
    roleArn,
    createdMs: nowMs,
    updatedMs: nowMs,
    revisionId: undefined,
    type,
    configuration,
    lastVersion: 0,
    created,
    status: 'ACTIVE',
  }
  const published = publish ? publishVersion(machines, machine, request.versionDescription, nowMs) : undefined
  machines.save(published?.machine ?? machine, { version: published?.version, tags })
  return answer(machine)
}

function answer({ arn, createdMs, created }: MachineRecord): unknown {
  return {
    stateMachineArn: arn,
    creationDate: toSeconds(createdMs),
    ...(created.publish ? { stateMachineVersionArn: qualifiedArn(arn, 1) } : {}),
  }
}
