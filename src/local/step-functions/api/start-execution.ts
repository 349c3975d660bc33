import type { Clock } from '../../clock.ts'
import type { MachineType } from '../definition/machine.ts'
import { type Document, isTooLarge, parseDocument } from '../document.ts'
import type { Engine } from '../engine.ts'
import { ApiError } from '../errors.ts'
import type { StartChild } from '../integrations/task-invoker.ts'
import type { Starter } from '../interpreter/execution.ts'
import { MAXIMUM_PAYLOAD_BYTES } from '../limits.ts'
import { executionArn, expressExecutionArn, type Place, requireName } from '../names.ts'
import type { ExecutionRecord } from '../store/execution-record.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { resolveMachine } from './require-machine.ts'

export interface StartDependencies {
  readonly machines: MachineStore
  readonly executions: ExecutionStore
  readonly engine: Engine
  readonly clock: Clock
  readonly place: Place
  uuid(): string
  random(): number
}

export interface StartRequest {
  /** Of a machine, a version or an alias. */
  readonly stateMachineArn: string
  /** Default: a UUID. */
  readonly name?: string | undefined
  /** JSON text. */
  readonly input: string
  /** The only type that is started; default: both. */
  readonly type?: MachineType
  /** Default false. */
  readonly isSync?: boolean
}

/**
 * Starts an execution, stored when this returns. A standard one of the same name, machine and input that still runs is that one; one of
 * another input, or over, is `ExecutionAlreadyExists`.
 */
export function startExecution(
  dependencies: StartDependencies,
  request: StartRequest,
  startedBy?: Starter,
): ExecutionRecord {
  const { machines, executions, engine, clock, place, uuid, random } = dependencies
  const { machine, ...qualified } = resolveMachine(machines, request.stateMachineArn, random)
  const { type } = machine
  if (request.type !== undefined && request.type !== type)
    throw new ApiError(
      'StateMachineTypeNotSupported',
      'This operation is not supported by this type of state machine',
    )
  const { name = uuid() } = request
  requireName(name)
  const input = parseInput(request.input)
  const arn =
    type === 'EXPRESS'
      ? expressExecutionArn(place, machine.name, name, uuid())
      : executionArn(place, machine.name, name)
  const existing = executions.find(arn)
  if (existing !== undefined) {
    const isSameAttempt = startedBy !== undefined && existing.startedBy?.attemptId === startedBy.attemptId
    if (!isSameAttempt && (existing.status !== 'RUNNING' || existing.input !== input.text))
      throw new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`)
    return existing
  }
  const id = executions.create({
    arn,
    name,
    type,
    isSync: request.isSync ?? false,
    machineArn: machine.arn,
    versionArn: qualified.stateMachineVersionArn,
    aliasArn: qualified.stateMachineAliasArn,
    definition: machine.definition,
    roleArn: machine.roleArn,
    input,
    startedBy,
    startedMs: clock.now(),
  })
  engine.begin(id)
  return executions.require(id)
}

/** Executions that tasks start. A task can wait only for one that is on record. */
export function createStartChild(dependencies: StartDependencies): StartChild {
  return ({ stateMachineArn, name, input, isWaitedFor }, attempt) => {
    const type = isWaitedFor ? { type: 'STANDARD' as const } : {}
    const { arn, startedMs } = startExecution(
      dependencies,
      { stateMachineArn, name, input, ...type },
      { ...attempt, isWaiting: isWaitedFor },
    )
    return { executionArn: arn, startedMs }
  }
}

function parseInput(text: string): Document {
  if (isTooLarge(text))
    throw new ApiError(
      'ValidationException',
      `Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${MAXIMUM_PAYLOAD_BYTES}`,
    )
  try {
    return parseDocument(text)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new ApiError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${problem}'`)
  }
}
