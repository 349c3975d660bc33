import { parseMachineArn, qualifiedArn } from '../names.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { toSeconds } from './operation.ts'
import { requireMachine, stateMachineDoesNotExist } from './require-machine.ts'

/** DescribeStateMachine, of a machine as it stands or of a version. Throws `InvalidArn` or `StateMachineDoesNotExist`. */
export function describeMachine(
  machines: MachineStore,
  arn: string,
  includedData: 'ALL_DATA' | 'METADATA_ONLY',
): unknown {
  const reference = parseMachineArn(arn)
  const machine = requireMachine(machines, reference.kind === 'version' ? reference.machineArn : arn)
  const version =
    reference.kind === 'version' ? machines.versions.find(machine.arn, reference.number) : undefined
  if (reference.kind === 'version' && version === undefined) throw stateMachineDoesNotExist(arn)
  const { definition, roleArn, configuration, revisionId, createdMs } = version ?? machine
  return {
    stateMachineArn: version === undefined ? arn : qualifiedArn(machine.arn, version.number),
    name: machine.name,
    status: machine.status,
    definition: includedData === 'ALL_DATA' ? definition : '{}',
    roleArn,
    type: machine.type,
    creationDate: toSeconds(createdMs),
    ...configuration,
    ...(revisionId === undefined ? {} : { revisionId }),
    ...(version?.description === undefined ? {} : { description: version.description }),
  }
}
