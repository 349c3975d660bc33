import { ApiError } from '../errors.ts'
import { requireArn } from '../names.ts'
import type { ExecutionRecord } from '../store/execution-record.ts'
import type { ExecutionStore } from '../store/execution-store.ts'

/** The execution by its ARN; an express one leaves no record. Throws `InvalidArn` or `ExecutionDoesNotExist`. */
export function requireExecution(executions: ExecutionStore, arn: string): ExecutionRecord {
  requireArn(arn, 'execution')
  const execution = executions.find(arn)
  if (execution === undefined)
    throw new ApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
  return execution
}
