import { ApiError } from '../errors.ts'
import { parseMachineArn, qualifiedArn, requireArn } from '../names.ts'
import type { AliasRecord } from '../store/alias-store.ts'
import type { MachineRecord, MachineStore } from '../store/machine-store.ts'

/** The machine by its own ARN, also while it is being deleted. Throws `InvalidArn` or `StateMachineDoesNotExist`. */
export function requireMachine(machines: MachineStore, arn: string): MachineRecord {
  requireArn(arn, 'stateMachine')
  const machine = machines.find(arn)
  if (machine === undefined) throw stateMachineDoesNotExist(arn)
  return machine
}

/** The same for what changes or starts it: throws also `StateMachineDeleting`. */
export function requireActiveMachine(machines: MachineStore, arn: string): MachineRecord {
  const machine = requireMachine(machines, arn)
  refuseDeleting(machine)
  return machine
}

/** Throws `StateMachineDeleting`. */
export function refuseDeleting({ status, arn }: MachineRecord): void {
  if (status === 'DELETING')
    throw new ApiError('StateMachineDeleting', `State Machine is being deleted: '${arn}'`)
}

/** What an execution runs. */
export interface ResolvedMachine {
  /** With the definition, role, configuration and revision of the version where one was named or chosen; `arn` is always the machine's own. */
  readonly machine: MachineRecord
  readonly stateMachineVersionArn?: string
  readonly stateMachineAliasArn?: string
}

/**
 * What an execution of this ARN runs: a machine as it stands, a version, or the version that its alias chooses by weight, with `random`
 * giving a number from 0 up to 1. Throws `InvalidArn`, `StateMachineDoesNotExist` or `StateMachineDeleting`.
 */
export function resolveMachine(machines: MachineStore, arn: string, random: () => number): ResolvedMachine {
  const reference = parseMachineArn(arn)
  const machine = machines.find(reference.machineArn)
  if (machine === undefined) throw stateMachineDoesNotExist(arn)
  refuseDeleting(machine)
  switch (reference.kind) {
    case 'machine':
      return { machine }
    case 'version':
      return ofVersion(machines, machine, reference.number)
    case 'alias': {
      const alias = machines.aliases.find(machine.arn, reference.name)
      if (alias === undefined) throw stateMachineDoesNotExist(arn)
      return { ...ofVersion(machines, machine, chooseVersion(alias, random)), stateMachineAliasArn: arn }
    }
  }
}

function ofVersion(machines: MachineStore, machine: MachineRecord, number: number): ResolvedMachine {
  const arn = qualifiedArn(machine.arn, number)
  const version = machines.versions.find(machine.arn, number)
  if (version === undefined) throw stateMachineDoesNotExist(arn)
  const { definition, roleArn, configuration, revisionId } = version
  return {
    machine: { ...machine, definition, roleArn, configuration, revisionId },
    stateMachineVersionArn: arn,
  }
}

function chooseVersion({ routing }: AliasRecord, random: () => number): number {
  const percentile = random() * 100
  let passed = 0
  for (const { versionNumber, weight } of routing) {
    passed += weight
    if (percentile < passed) return versionNumber
  }
  throw new Error(`The weights of an alias sum up to ${passed}, not to 100`)
}

/** The error of a machine, version or alias that is not there. */
export function stateMachineDoesNotExist(arn: string): ApiError {
  return new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`)
}
