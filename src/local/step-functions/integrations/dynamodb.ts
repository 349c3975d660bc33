import * as z from 'zod'
import { StateFailed } from '../errors.ts'
import { type Integration, serviceEvents } from './integration.ts'

/** The calls that tasks may make, as `Resource` spells them. */
export const DYNAMODB_ACTIONS = [
  'getItem',
  'putItem',
  'updateItem',
  'deleteItem',
  'query',
  'scan',
  'batchGetItem',
  'batchWriteItem',
  'transactGetItems',
  'transactWriteItems',
] as const
export type DynamoDbAction = (typeof DYNAMODB_ACTIONS)[number]

export interface DynamoDbRequest {
  readonly service: 'dynamodb'
  readonly action: DynamoDbAction
  /** As DynamoDB's API takes them: `{ "TableName": "orders", "Key": { "id": { "S": "A-1001" } } }`. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Narrows a text to the actions above. */
export function isDynamoDbAction(text: string): text is DynamoDbAction {
  return DYNAMODB_ACTIONS.some((action) => action === text)
}

/** One call of DynamoDB: `aws-sdk:dynamodb:putItem`. */
export function dynamoDb(action: DynamoDbAction): Integration {
  return {
    endsWith: 'answer',
    events: serviceEvents('aws-sdk:dynamodb', action),
    request(argument) {
      const parsed = z.record(z.string(), z.unknown()).safeParse(argument)
      if (!parsed.success)
        throw new StateFailed({
          error: 'States.Runtime',
          cause: `The Arguments of aws-sdk:dynamodb:${action} must be an object, not ${JSON.stringify(argument)}`,
        })
      return { service: 'dynamodb', action, parameters: parsed.data }
    },
    result: (answer) => answer,
  }
}
