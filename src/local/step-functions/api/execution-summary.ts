import type { ExecutionRecord } from '../store/execution-record.ts'
import { toSeconds } from './operation.ts'

/** What ListExecutions shows of an execution, and DescribeExecution too. */
export function summarise(execution: ExecutionRecord): Record<string, unknown> {
  const { stoppedMs, versionArn, aliasArn, redrive } = execution
  return {
    executionArn: execution.arn,
    stateMachineArn: execution.machineArn,
    ...(versionArn === undefined ? {} : { stateMachineVersionArn: versionArn }),
    ...(aliasArn === undefined ? {} : { stateMachineAliasArn: aliasArn }),
    name: execution.name,
    status: execution.status,
    startDate: toSeconds(execution.startedMs),
    ...(stoppedMs === undefined ? {} : { stopDate: toSeconds(stoppedMs) }),
    redriveCount: redrive?.count ?? 0,
    ...(redrive === undefined ? {} : { redriveDate: toSeconds(redrive.timeMs) }),
  }
}
