import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'
import { createAliasOperations } from './api/alias-operations.ts'
import { createDescribeOperations } from './api/describe-operations.ts'
import { createExecutionOperations } from './api/execution-operations.ts'
import { createHistoryOperation } from './api/history-operation.ts'
import { startJsonServer } from './api/json-server.ts'
import { createListExecutionsOperation } from './api/list-executions-operation.ts'
import { createMachineOperations } from './api/machine-operations.ts'
import { afterwards } from './api/operation.ts'
import { createRedriveOperation } from './api/redrive-operation.ts'
import { createStartChild } from './api/start-execution.ts'
import { createSyncExecutions } from './api/sync-execution.ts'
import { createTagOperations } from './api/tag-operations.ts'
import { createTaskOperations } from './api/task-operations.ts'
import { createTaskToken } from './api/task-token.ts'
import { createValidateOperation } from './api/validate-operation.ts'
import { createVersionOperations } from './api/version-operations.ts'
import { createEngine } from './engine.ts'
import { createEvaluator } from './expressions/evaluate.ts'
import { createDynamoDbInvoker } from './integrations/dynamodb-invoker.ts'
import { createLambdaInvoker } from './integrations/lambda-invoker.ts'
import { createTaskInvoker } from './integrations/task-invoker.ts'
import type { Services } from './interpreter/transition.ts'
import type { Place } from './names.ts'
import { type StatusChangeEvent, statusChangeEvent } from './status-event.ts'
import { createEventStore } from './store/event-store.ts'
import { createExecutionStore } from './store/execution-store.ts'
import { createMachineStore } from './store/machine-store.ts'
import { openDatabase } from './store/open-database.ts'

export interface StepFunctionsOptions {
  /** Where `step-functions.sqlite` lives. One process at a time. */
  readonly directory: string
  /** `http://127.0.0.1:40124`: where functions are invoked. */
  readonly lambdaEndpoint: string
  /** Where `dynamodb:…` tasks call; without it they fail. */
  readonly dynamoDbEndpoint?: string
  /** Default: any free one. */
  readonly port?: number
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Told of each standard execution that began, was redriven or ended, after it is stored; lost if the process is killed in between. */
  readonly onStatusChange?: (event: StatusChangeEvent) => void
  /** Executions from before wait for `resume`, until what they call is there; so does each request that would begin, stop or answer one. */
  readonly startPaused?: boolean
  /** Default `us-east-1`. */
  readonly region?: string
  /** Default `000000000000`. */
  readonly accountId?: string
}

export interface StepFunctions {
  /** The endpoint for the SDK's client. */
  readonly url: string
  /** Lets executions from before go on; only after a paused start. */
  resume(): void
  /** Stops between two transitions; what runs goes on when it is started on the directory again. */
  close(): Promise<void>
}

/**
 * Starts Step Functions for JSONata state machines, on loopback, with what the directory holds from before. Rejects when the port is
 * taken or another process works in the directory.
 */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<StepFunctions> {
  const { directory, lambdaEndpoint, port = 0, clock = systemClock, onStatusChange } = options
  const place: Place = {
    region: options.region ?? 'us-east-1',
    accountId: options.accountId ?? '000000000000',
  }
  const database = openDatabase(directory)
  const machines = createMachineStore(database)
  const executions = createExecutionStore(database)
  const { region } = place
  const lambda = createLambdaInvoker({ endpoint: lambdaEndpoint, region })
  const dynamoDb = createDynamoDbInvoker({ endpoint: options.dynamoDbEndpoint, region })
  const services: Services = {
    evaluator: createEvaluator({ nowMs: clock.now, random: Math.random, uuid: randomUUID }),
    region,
    random: Math.random,
    uuid: randomUUID,
    createToken: (executionArn, threadId) => createTaskToken({ executionArn, threadId }, randomUUID()),
  }
  const tasks = createTaskInvoker({
    lambda,
    dynamoDb,
    startChild: (request, attempt) => startChild(request, attempt),
    uuid: randomUUID,
  })
  const engine = createEngine({
    store: executions,
    tasks,
    clock,
    services,
    isDeleting: machines.isDeleting,
    onStatusChange(execution) {
      if (execution.ended !== undefined) syncExecutions.tellEnded(execution)
      // EventBridge hears of standard executions alone.
      if (onStatusChange === undefined || execution.type === 'EXPRESS') return
      setImmediate(onStatusChange, statusChangeEvent(execution, place, randomUUID()))
    },
  })
  const dependencies = {
    machines,
    executions,
    engine,
    clock,
    place,
    uuid: randomUUID,
    random: Math.random,
  }
  const startChild = createStartChild(dependencies)
  const syncExecutions = createSyncExecutions(dependencies)
  const resumed = Promise.withResolvers<void>()
  const operations = {
    ...createMachineOperations(dependencies),
    ...createVersionOperations(dependencies),
    ...createAliasOperations(dependencies),
    ...createTagOperations(dependencies),
    ...createValidateOperation(),
    ...createDescribeOperations(dependencies),
    ...createListExecutionsOperation(machines, executions),
    ...createHistoryOperation(executions, createEventStore(database)),
    // What moves executions waits until those from before are there to be moved.
    ...afterwards(resumed.promise, {
      ...createExecutionOperations(dependencies),
      ...createRedriveOperation(dependencies),
      ...syncExecutions.operations,
      ...createTaskOperations(executions, engine),
    }),
  }
  const server = await startJsonServer(operations, port).catch((error: unknown) => {
    database.close()
    throw error
  })
  const resume = () => {
    engine.resume()
    resumed.resolve()
  }
  if (!options.startPaused) resume()
  return {
    url: server.url,
    resume,
    async close() {
      await server.close()
      await engine.close()
      lambda.close()
      dynamoDb.close()
      database.close()
    },
  }
}
