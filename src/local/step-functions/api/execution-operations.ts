import * as z from 'zod'
import { type Operation, operation, toSeconds } from './operation.ts'
import { requireExecution } from './require-execution.ts'
import { type StartDependencies, startExecution } from './start-execution.ts'

export const startRequest = z.object({
  stateMachineArn: z.string(),
  name: z.string().optional(),
  input: z.string().default('{}'),
})

/** Start and stop executions. */
export function createExecutionOperations(dependencies: StartDependencies): Record<string, Operation> {
  const { executions, engine } = dependencies
  return {
    StartExecution: operation(startRequest, (request) => {
      const { arn, startedMs } = startExecution(dependencies, request)
      return { executionArn: arn, startDate: toSeconds(startedMs) }
    }),
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
