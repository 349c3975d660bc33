import { ApiError } from '../errors.ts'
import type { DynamoDbInvoker } from './dynamodb-invoker.ts'
import type { TaskOutcome, TaskRequest } from './integration.ts'
import type { LambdaInvoker } from './lambda-invoker.ts'
import type { StartExecutionRequest } from './start-execution.ts'

/** Which attempt of which execution's thread asks. */
export interface Attempt {
  readonly executionId: number
  readonly threadId: number
  readonly attemptId: string
}

export interface TaskInvoker {
  /** Never throws: what goes wrong is an outcome. */
  invoke(request: TaskRequest, attempt: Attempt): Promise<TaskOutcome>
  /** The same for an attempt that a former process may have sent, and of which no answer is stored. */
  recover(request: TaskRequest, attempt: Attempt): Promise<TaskOutcome>
  /** Its outcome is stored, or wanted no more: the service need not remember it. */
  acknowledge(request: TaskRequest, attemptId: string): void
}

/** Starts the execution, or finds the one that this attempt started before; throws `ApiError`. */
export type StartChild = (
  request: StartExecutionRequest,
  attempt: Attempt,
) => { readonly executionArn: string; readonly startedMs: number }

export function createTaskInvoker(services: {
  readonly lambda: LambdaInvoker
  readonly dynamoDb: DynamoDbInvoker
  readonly startChild: StartChild
  uuid(): string
}): TaskInvoker {
  const { lambda, dynamoDb, startChild, uuid } = services
  return {
    async invoke(request, attempt) {
      if (request.service === 'lambda') return lambda.invoke(request, attempt.attemptId)
      if (request.service === 'dynamodb') return dynamoDb.invoke(request)
      return start(request, attempt)
    },
    async recover(request, attempt) {
      if (request.service === 'lambda') return lambda.recover(request, attempt.attemptId)
      if (request.service === 'states') return start(request, attempt)
      const failure = { error: 'DynamoDb.SdkClientException', cause: 'The connection to DynamoDB was lost.' }
      return { kind: 'failed', by: 'service', failure }
    },
    acknowledge(request, attemptId) {
      if (request.service === 'lambda') lambda.acknowledge(attemptId)
    },
  }

  function start(request: StartExecutionRequest, attempt: Attempt): TaskOutcome {
    try {
      const { executionArn, startedMs } = startChild(request, attempt)
      const requestId = uuid()
      const HttpHeaders = {
        'x-amzn-RequestId': requestId,
        'Content-Type': 'application/x-amz-json-1.0',
      }
      return {
        kind: 'succeeded',
        result: {
          ExecutionArn: executionArn,
          SdkHttpMetadata: {
            AllHttpHeaders: Object.fromEntries(
              Object.entries(HttpHeaders).map(([name, value]) => [name, [value]]),
            ),
            HttpHeaders,
            HttpStatusCode: 200,
          },
          SdkResponseMetadata: { RequestId: requestId },
          StartDate: startedMs,
        },
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const name = error.name.endsWith('Exception') ? error.name : `${error.name}Exception`
      const failure = {
        error: `StepFunctions.${name}`,
        cause: `${error.message} (Service: AWSStepFunctions; Status Code: 400; Error Code: ${error.name}; Request ID: ${uuid()}; Proxy: null)`,
      }
      return { kind: 'failed', by: 'service', failure }
    }
  }
}
