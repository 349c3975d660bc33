import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { parseMachine } from '../definition/parse-machine.ts'
import { ApiError } from '../errors.ts'
import { qualifiedArn } from '../names.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { changeConfiguration, configurationRequest } from './machine-configuration.ts'
import { toSeconds } from './operation.ts'
import { checkVersionDescription, publishRequest, publishVersion } from './publish-version.ts'
import { requireActiveMachine } from './require-machine.ts'

export const updateRequest = z.object({
  stateMachineArn: z.string(),
  definition: z.string().optional(),
  roleArn: z.string().min(1).max(256).optional(),
  ...configurationRequest,
  ...publishRequest,
})

/** UpdateStateMachine: what runs goes on as it was. A change is a new revision; what is the same as before keeps the one there is. */
export function updateMachine(
  { machines, clock, uuid }: { readonly machines: MachineStore; readonly clock: Clock; uuid(): string },
  request: z.output<typeof updateRequest>,
): unknown {
  const before = requireActiveMachine(machines, request.stateMachineArn)
  checkVersionDescription(request)
  checkGiven(request)
  const { definition = before.definition, roleArn = before.roleArn } = request
  parseMachine(definition, before.type)
  const configuration = changeConfiguration(before.configuration, request)
  const same = { ...before, definition, roleArn, configuration }
  const revisionId = isDeepStrictEqual(same, before) ? before.revisionId : uuid()
  const nowMs = clock.now()
  const updated = { ...same, updatedMs: nowMs, revisionId }
  const published = request.publish
    ? publishVersion(machines, updated, request.versionDescription, nowMs)
    : undefined
  machines.save(published?.machine ?? updated, { version: published?.isNew ? published.version : undefined })
  return {
    updateDate: toSeconds(nowMs),
    ...(revisionId === undefined ? {} : { revisionId }),
    ...(published === undefined
      ? {}
      : { stateMachineVersionArn: qualifiedArn(before.arn, published.version.number) }),
  }
}

function checkGiven(request: z.output<typeof updateRequest>): void {
  const { definition, roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration } = request
  const given = [definition, roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration]
  if (given.every((value) => value === undefined))
    throw new ApiError(
      'MissingRequiredParameter',
      'Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified',
    )
}
