import type { Execution } from '../interpreter/execution.ts'
import { startRequest } from './execution-operations.ts'
import { type Operation, operation, toSeconds } from './operation.ts'
import { type StartDependencies, startExecution } from './start-execution.ts'

export interface SyncExecutions {
  readonly operations: Record<string, Operation>
  /** To be called when an execution has ended. */
  tellEnded(execution: Execution): void
}

/** AWS bills express executions by 64 MB and 100 ms. */
const BILLED_MB = 64
const BILLED_STEP_MS = 100

/** StartSyncExecution: answers when the express execution has ended. */
export function createSyncExecutions(dependencies: StartDependencies): SyncExecutions {
  const waiting = new Map<number, (execution: Execution) => void>()
  return {
    operations: {
      StartSyncExecution: operation(startRequest, async (request) => {
        const { id } = startExecution(dependencies, { ...request, type: 'EXPRESS', isSync: true })
        const execution = await new Promise<Execution>((resolve) => waiting.set(id, resolve))
        return described(execution)
      }),
    },
    tellEnded(execution) {
      waiting.get(execution.id)?.(execution)
      waiting.delete(execution.id)
    },
  }
}

function described({ arn, name, stateMachineArn, startedMs, input, ended }: Execution): unknown {
  if (ended === undefined) throw new Error(`The execution ${arn} was said to be over, and is not`)
  const { outcome, stoppedMs } = ended
  const failure =
    outcome.status === 'SUCCEEDED'
      ? { output: outcome.output, outputDetails: { included: true } }
      : {
          ...(outcome.error === undefined ? {} : { error: outcome.error }),
          ...(outcome.cause === undefined ? {} : { cause: outcome.cause }),
          outputDetails: { included: true },
        }
  return {
    executionArn: arn,
    stateMachineArn,
    name,
    startDate: toSeconds(startedMs),
    stopDate: toSeconds(stoppedMs),
    // AWS knows no ABORTED here.
    status: outcome.status === 'ABORTED' ? 'FAILED' : outcome.status,
    input: input.text,
    inputDetails: { included: true },
    ...failure,
    billingDetails: {
      billedMemoryUsedInMB: BILLED_MB,
      billedDurationInMilliseconds: Math.ceil((stoppedMs - startedMs) / BILLED_STEP_MS) * BILLED_STEP_MS,
    },
  }
}
