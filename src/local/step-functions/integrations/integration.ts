import type { Failure } from '../errors.ts'
import type { DynamoDbRequest } from './dynamodb.ts'
import type { LambdaRequest } from './lambda.ts'
import type { StartExecutionRequest } from './start-execution.ts'

/** One attempt of a task as it is asked of a service; JSON, for the store keeps it until the attempt is over. */
export type TaskRequest = LambdaRequest | StartExecutionRequest | DynamoDbRequest

/** What a service answered. */
export type TaskOutcome =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  /** By the work: its code failed. By the service: the work may not have been done. */
  | { readonly kind: 'failed'; readonly by: 'work' | 'service'; readonly failure: Failure }

/** A service that tasks may call, with one way of waiting for it: what a Task's `Resource` names. No I/O. */
export interface Integration {
  /** What ends the task: the service's answer, a task token that is sent back, or the end of the execution that was started. */
  readonly endsWith: 'answer' | 'token' | 'execution'
  readonly events: TaskEvents
  /** The request of an attempt, from the evaluated Arguments (the input, where there are none). Throws `StateFailed`. */
  request(argument: unknown, sources: RequestSources): TaskRequest
  /** What of the service's answer is the task's result. */
  result(answer: unknown): unknown
}

export interface RequestSources {
  uuid(): string
}

/** How the attempts of a task show in the history. */
export interface TaskEvents {
  readonly scheduled: string
  readonly started: string
  readonly succeeded: string
  readonly failed: string
  readonly timedOut: string
  /** Stands in the details of all but `scheduled`. */
  readonly common: Readonly<Record<string, unknown>> | undefined
  /** `argument` is JSON text. */
  scheduledDetails(argument: string, region: string): Readonly<Record<string, unknown>>
}

/** The events of every integration but a function's ARN: `resourceType` and `resource` say what is called. */
export function serviceEvents(resourceType: string, resource: string): TaskEvents {
  const common = { resourceType, resource }
  return {
    scheduled: 'TaskScheduled',
    started: 'TaskStarted',
    succeeded: 'TaskSucceeded',
    failed: 'TaskFailed',
    timedOut: 'TaskTimedOut',
    common,
    scheduledDetails: (parameters, region) => ({ ...common, region, parameters }),
  }
}
