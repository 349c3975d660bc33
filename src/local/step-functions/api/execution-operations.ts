import * as z from 'zod'
import type { Clock } from '../../clock.ts'
import { type Document, isTooLarge, parseDocument } from '../document.ts'
import type { Engine } from '../engine.ts'
import { ApiError } from '../errors.ts'
import { MAXIMUM_PAYLOAD_BYTES } from '../limits.ts'
import { executionArn, type Place, requireArn, requireName } from '../names.ts'
import type { ExecutionRecord, ExecutionStore } from '../store/execution-store.ts'
import type { MachineStore } from '../store/machine-store.ts'
import { requireMachine } from './machine-operations.ts'
import { type Operation, operation, toSeconds } from './operation.ts'

export interface ExecutionDependencies {
  readonly machines: MachineStore
  readonly executions: ExecutionStore
  readonly engine: Engine
  readonly clock: Clock
  readonly place: Place
  uuid(): string
}

/** The execution by its ARN. Throws `InvalidArn` or `ExecutionDoesNotExist`. */
export function requireExecution(executions: ExecutionStore, arn: string): ExecutionRecord {
  requireArn(arn, 'execution')
  const execution = executions.find(arn)
  if (execution === undefined)
    throw new ApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
  return execution
}

/** Start, describe and stop executions. */
export function createExecutionOperations(dependencies: ExecutionDependencies): Record<string, Operation> {
  const { executions, engine } = dependencies
  return {
    StartExecution: operation(
      z.object({ stateMachineArn: z.string(), name: z.string().optional(), input: z.string().default('{}') }),
      (request) => startExecution(dependencies, request),
    ),
    DescribeExecution: operation(z.object({ executionArn: z.string() }), (request) =>
      described(requireExecution(executions, request.executionArn)),
    ),
    StopExecution: operation(
      z.object({
        executionArn: z.string(),
        error: z.string().max(256).optional(),
        cause: z.string().max(32_768).optional(),
      }),
      async ({ executionArn: arn, error, cause }) => {
        const { id } = requireExecution(executions, arn)
        await engine.post(id, { kind: 'stop', error, cause })
        const { stoppedMs, startedMs } = requireExecution(executions, arn)
        return { stopDate: toSeconds(stoppedMs ?? startedMs) }
      },
    ),
  }
}

function startExecution(
  { machines, executions, engine, clock, place, uuid }: ExecutionDependencies,
  request: { readonly stateMachineArn: string; readonly name?: string | undefined; readonly input: string },
): unknown {
  const machine = requireMachine(machines, request.stateMachineArn)
  const { name = uuid() } = request
  requireName(name)
  const input = parseInput(request.input)
  const arn = executionArn(place, machine.name, name)
  const existing = executions.find(arn)
  if (existing !== undefined) {
    if (existing.status !== 'RUNNING' || existing.input !== input.text)
      throw new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`)
    return { executionArn: arn, startDate: toSeconds(existing.startedMs) }
  }
  const startedMs = clock.now()
  engine.begin(executions.create({ arn, name, machine, input, startedMs }))
  return { executionArn: arn, startDate: toSeconds(startedMs) }
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

function described(execution: ExecutionRecord): unknown {
  const { status, output, error, cause, stoppedMs } = execution
  const isRedrivable = status !== 'RUNNING' && status !== 'SUCCEEDED'
  return {
    executionArn: execution.arn,
    stateMachineArn: execution.machineArn,
    name: execution.name,
    status,
    startDate: toSeconds(execution.startedMs),
    input: execution.input,
    inputDetails: { included: true },
    ...(stoppedMs === undefined ? {} : { stopDate: toSeconds(stoppedMs) }),
    ...(output === undefined ? {} : { output, outputDetails: { included: true } }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
    redriveCount: 0,
    redriveStatus: isRedrivable ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
    ...(isRedrivable ? {} : { redriveStatusReason: `Execution is ${status} and cannot be redriven` }),
  }
}
