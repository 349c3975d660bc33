import * as z from 'zod'
import { redrivability } from '../redrivability.ts'
import type { ExecutionRecord } from '../store/execution-record.ts'
import { summarise } from './execution-summary.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { requireExecution } from './require-execution.ts'
import type { StartDependencies } from './start-execution.ts'

const request = z.object({ executionArn: z.string() })

/** DescribeExecution, and the machine as an execution runs it. */
export function createDescribeOperations({
  machines,
  executions,
  clock,
}: StartDependencies): Record<string, Operation> {
  return {
    DescribeExecution: operation(request, ({ executionArn }) =>
      described(requireExecution(executions, executionArn), clock.now()),
    ),
    DescribeStateMachineForExecution: operation(request, ({ executionArn }) => {
      const execution = requireExecution(executions, executionArn)
      const { machineArn, roleArn, startedMs } = execution
      const machine = machines.find(machineArn)
      return {
        stateMachineArn: machineArn,
        name: machineArn.slice(machineArn.lastIndexOf(':') + 1),
        definition: executions.definitionOf(execution),
        roleArn,
        updateDate: toSeconds(Math.min(machine?.updatedMs ?? startedMs, startedMs)),
        loggingConfiguration: { level: 'OFF', includeExecutionData: false },
        tracingConfiguration: { enabled: false },
        ...machine?.configuration,
      }
    }),
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
