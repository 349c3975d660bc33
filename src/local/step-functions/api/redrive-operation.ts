import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { redrivability } from '../redrivability.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { requireExecution } from './require-execution.ts'
import { requireActiveMachine } from './require-machine.ts'
import type { StartDependencies } from './start-execution.ts'

/** RedriveExecution. A `clientToken` that was used before gets the answer that it had. */
export function createRedriveOperation(dependencies: StartDependencies): Record<string, Operation> {
  const { machines, executions, engine, clock } = dependencies
  const answered = new Map<string, number>()
  return {
    RedriveExecution: operation(
      z.object({ executionArn: z.string(), clientToken: z.string().min(1).max(64).optional() }),
      ({ executionArn, clientToken }) => {
        const execution = requireExecution(executions, executionArn)
        const key = `${executionArn} ${clientToken ?? ''}`
        const before = clientToken === undefined ? undefined : answered.get(key)
        if (before !== undefined) return { redriveDate: toSeconds(before) }
        const nowMs = clock.now()
        const ageMs = nowMs - (execution.stoppedMs ?? nowMs)
        const { redriveStatus, redriveStatusReason } = redrivability(
          execution.status,
          execution.eventCount,
          ageMs,
        )
        requireActiveMachine(machines, execution.machineArn)
        if (redriveStatus !== 'REDRIVABLE')
          throw new ApiError('ExecutionNotRedrivable', `${redriveStatusReason}: '${executionArn}'`)
        engine.redrive(execution.id)
        if (clientToken !== undefined) answered.set(key, nowMs)
        return { redriveDate: toSeconds(nowMs) }
      },
    ),
  }
}
