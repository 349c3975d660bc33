import * as dynamoDb from '@aws-sdk/client-dynamodb'
import type { DynamoDbAction, DynamoDbRequest } from './dynamodb.ts'
import type { TaskOutcome } from './integration.ts'

export interface DynamoDbInvoker {
  /** Never throws: what goes wrong is an outcome. */
  invoke(request: DynamoDbRequest): Promise<TaskOutcome>
  close(): void
}

const COMMANDS = {
  getItem: dynamoDb.GetItemCommand,
  putItem: dynamoDb.PutItemCommand,
  updateItem: dynamoDb.UpdateItemCommand,
  deleteItem: dynamoDb.DeleteItemCommand,
  query: dynamoDb.QueryCommand,
  scan: dynamoDb.ScanCommand,
  batchGetItem: dynamoDb.BatchGetItemCommand,
  batchWriteItem: dynamoDb.BatchWriteItemCommand,
  transactGetItems: dynamoDb.TransactGetItemsCommand,
  transactWriteItems: dynamoDb.TransactWriteItemsCommand,
} as const satisfies Record<DynamoDbAction, unknown>

/** What every command is, for a call whose parameters only DynamoDB checks. */
type AnyCommand = new (parameters: never) => dynamoDb.GetItemCommand

/** Calls DynamoDB through the real client, once per request. Without an endpoint each call fails, saying so. */
export function createDynamoDbInvoker(options: {
  readonly endpoint: string | undefined
  readonly region: string
}): DynamoDbInvoker {
  const { endpoint, region } = options
  if (endpoint === undefined) return { invoke: async () => noEndpoint, close: () => {} }
  const client = new dynamoDb.DynamoDBClient({
    endpoint,
    region,
    maxAttempts: 1,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  return { invoke, close: () => client.destroy() }

  async function invoke({ action, parameters }: DynamoDbRequest): Promise<TaskOutcome> {
    const Command = COMMANDS[action] as unknown as AnyCommand // each takes one object, and the client takes each
    try {
      const { $metadata, ...result } = await client.send(new Command(parameters as never)) // DynamoDB checks them
      return { kind: 'succeeded', result }
    } catch (error) {
      return { kind: 'failed', by: 'service', failure: failureOf(error) }
    }
  }
}

const noEndpoint: TaskOutcome = {
  kind: 'failed',
  by: 'service',
  failure: {
    error: 'DynamoDb.SdkClientException',
    cause: 'This stand-in was started without an endpoint of DynamoDB.',
  },
}

/** AWS: the exception's class behind `DynamoDb.`, and in the cause what its Java client says. */
function failureOf(error: unknown): { readonly error: string; readonly cause: string } {
  if (!(error instanceof dynamoDb.DynamoDBServiceException))
    return {
      error: 'DynamoDb.SdkClientException',
      cause: error instanceof Error ? error.message : String(error),
    }
  const { httpStatusCode, requestId = '' } = error.$metadata
  // Errors without a class of their own are of the service's: DynamoDb.DynamoDbException.
  const name = error.name.endsWith('Exception') ? error.name : 'DynamoDbException'
  return {
    error: `DynamoDb.${name === 'ValidationException' ? 'DynamoDbException' : name}`,
    cause: `${error.message} (Service: DynamoDb, Status Code: ${httpStatusCode}, Request ID: ${requestId})`,
  }
}
