import type { TaskRequest } from './integrations/integration.ts'
import { startedArn } from './integrations/start-execution.ts'
import type { EndedChild } from './interpreter/child-execution.ts'
import type { Execution, Thread, Work } from './interpreter/execution.ts'
import type { Signal } from './interpreter/handle-signal.ts'
import type { ExecutionRecord } from './store/execution-record.ts'
import type { ExecutionStore } from './store/execution-store.ts'

/** What holds between the task that started an execution and waits for it, and that execution. */
export interface Children {
  /** Tells the task that waits for an execution that it is over, if the task still waits. */
  tellStarter(child: Execution): void
  /** Tells a task whose execution is over already, as when it ended before it was known which one it is. */
  lookAfter(executionId: number, threadId: number, work: Work): void
  /** Stops executions for which the tasks of `starterArn` wait no more. */
  stop(childArns: readonly string[], starterArn: string): void
  /** The same for one whose task ended while it was being started: nobody else knows of it. */
  stopUnheard(request: TaskRequest, answer: unknown, starterArn: string): void
  /** Stops an execution whose task is over, as when a process was killed before it could. One that was redriven runs for itself. */
  stopIfAbandoned(child: Execution): void
}

export function createChildren(deps: {
  readonly store: ExecutionStore
  post(executionId: number, signal: Signal): Promise<boolean>
  /** Undefined when the execution is over, or the thread. */
  threadOf(executionId: number, threadId: number): Thread | undefined
}): Children {
  const { store, post, threadOf } = deps
  return {
    tellStarter({ startedBy, id }) {
      const child = endedChild(store.get(id))
      if (startedBy?.isWaiting !== true || child === undefined) return
      const { executionId, threadId, attemptId } = startedBy
      void post(executionId, { kind: 'child-ended', threadId, attemptId, child })
    },
    lookAfter(executionId, threadId, { attemptId, childArn = '' }) {
      const child = endedChild(store.find(childArn))
      if (child !== undefined) void post(executionId, { kind: 'child-ended', threadId, attemptId, child })
    },
    stop: stopAll,
    stopUnheard(request, answer, starterArn) {
      if (request.service === 'states' && request.isWaitedFor) stopAll([startedArn(answer)], starterArn)
    },
    stopIfAbandoned({ arn, startedBy, redrive }) {
      if (startedBy?.isWaiting !== true || redrive !== undefined) return
      const phase = threadOf(startedBy.executionId, startedBy.threadId)?.phase
      if (phase?.kind === 'working' && phase.work.attemptId === startedBy.attemptId) return
      stopAll([arn], store.get(startedBy.executionId)?.arn ?? '')
    },
  }

  function stopAll(childArns: readonly string[], starterArn: string): void {
    const cause = `The Task state in AWS Step Functions execution [${starterArn}] which was managing this resource was aborted`
    for (const arn of childArns) {
      const id = store.find(arn)?.id
      if (id !== undefined) void post(id, { kind: 'stop', error: undefined, cause })
    }
  }
}

/** Undefined while the execution runs. */
function endedChild(record: ExecutionRecord | undefined): EndedChild | undefined {
  if (record === undefined || record.status === 'RUNNING') return undefined
  const { arn, name, machineArn: stateMachineArn, input, startedMs, stoppedMs = startedMs } = record
  const outcome =
    record.status === 'SUCCEEDED'
      ? { status: record.status, output: record.output ?? 'null' }
      : { status: record.status, error: record.error, cause: record.cause }
  const redriveCount = record.redrive?.count ?? 0
  return { arn, name, stateMachineArn, input, startedMs, stoppedMs, redriveCount, outcome }
}
