import type { State } from '../definition/machine.ts'
import type { Execution, Thread } from './execution.ts'

/** What of the context the thread's place does not say. */
export interface ContextExtras {
  /** The token of a `.waitForTaskToken` task, while its fields are evaluated. */
  readonly token?: string
  /** The item for which a Map's ItemSelector is evaluated. */
  readonly item?: { readonly Index: number; readonly Value: unknown }
}

/** Only of these states the context counts the retries. */
const RETRYABLE = new Set<State['Type']>(['Task', 'Map', 'Parallel'])

/** `$states.context` as AWS fills it. */
export function contextObject(
  execution: Execution,
  thread: Thread,
  { Type }: State,
  { token, item }: ContextExtras,
): unknown {
  const mapItem = item ?? itemOf(execution, thread)
  return {
    Execution: {
      Id: execution.arn,
      Input: execution.input.value,
      Name: execution.name,
      RoleArn: execution.roleArn,
      StartTime: new Date(execution.startedMs).toISOString(),
      ...(execution.isSync ? {} : { RedriveCount: execution.redrive?.count ?? 0 }),
      ...(execution.redrive === undefined
        ? {}
        : { RedriveTime: new Date(execution.redrive.timeMs).toISOString() }),
    },
    StateMachine: {
      Id: execution.stateMachineArn,
      Name: execution.stateMachineArn.slice(execution.stateMachineArn.lastIndexOf(':') + 1),
    },
    State: {
      Name: thread.stateName,
      EnteredTime: new Date(thread.enteredMs).toISOString(),
      ...(RETRYABLE.has(Type)
        ? { RetryCount: thread.retryCounts.reduce((sum, count) => sum + count, 0) }
        : {}),
    },
    ...(token === undefined ? {} : { Task: { Token: token } }),
    ...(mapItem === undefined ? {} : { Map: { Item: mapItem } }),
  }
}

/** The item of the innermost Map that the thread runs in. */
function itemOf({ threads }: Execution, thread: Thread): ContextExtras['item'] {
  for (let inner = thread; inner.parentId !== undefined; ) {
    const parent = threads.get(inner.parentId)
    if (parent === undefined) return undefined
    if (parent.data.items !== undefined)
      return { Index: inner.branchIndex, Value: parent.data.items[inner.branchIndex] }
    inner = parent
  }
  return undefined
}
