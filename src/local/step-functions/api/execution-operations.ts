import * as z from 'zod'
import { redrivability } from '../redrivability.ts'
import type { ExecutionRecord } from '../store/execution-record.ts'
import { summarise } from './execution-summary.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { requireExecution } from './require-execution.ts'
import { type StartDependencies, startExecution } from './start-execution.ts'

export const startRequest = z.object({
  stateMachineArn: z.string(),
  name: z.string().optional(),
  input: z.string().default('{}'),
})

/** Start, describe and stop executions. */
export function createExecutionOperations(dependencies: StartDependencies): Record<string, Operation> {
  const { machines, executions, engine, clock } = dependencies
  return {
    StartExecution: operation(startRequest, (request) => {
      const { arn, startedMs } = startExecution(dependencies, request)
      return { executionArn: arn, startDate: toSeconds(startedMs) }
    }),
    DescribeExecution: operation(z.object({ executionArn: z.string() }), ({ executionArn }) =>
      described(requireExecution(executions, executionArn), clock.now()),
    ),
    DescribeStateMachineForExecution: operation(
      z.object({ executionArn: z.string() }),
      ({ executionArn }) => {
        const execution = requireExecution(executions, executionArn)
        const { machineArn, roleArn, startedMs } = execution
        const machine = machines.find(machineArn)
        return {
          stateMachineArn: machineArn,
          name: machineArn.slice(machineArn.lastIndexOf(':') + 1),
          definition: executions.definitionOf(execution),
          roleArn,
          updateDate: toSeconds(machine?.updatedMs ?? startedMs),
        }
      },
    ),
    StopExecution: operation(
      z.object({
        executionArn: z.string(),
        error: z.string().max(256).optional(),
        cause: z.string().max(32_768).optional(),
      }),
      async ({ executionArn, error, cause }) => {
        const { id } = requireExecution(executions, executionArn)
        await engine.post(id, { kind: 'stop', error, cause })
        const { stoppedMs, startedMs } = requireExecution(executions, executionArn)
        return { stopDate: toSeconds(stoppedMs ?? startedMs) }
      },
    ),
  }
}

function described(execution: ExecutionRecord, nowMs: number): unknown {
  const { status, eventCount, output, error, cause, stoppedMs = nowMs } = execution
  return {
    ...summarise(execution),
    input: execution.input,
    inputDetails: { included: true },
    ...(output === undefined ? {} : { output, outputDetails: { included: true } }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
    ...redrivability(status, eventCount, nowMs - stoppedMs),
  }
}
