import { DYNAMODB_ACTIONS, dynamoDb, isDynamoDbAction } from './dynamodb.ts'
import type { Integration } from './integration.ts'
import { lambdaFunction, lambdaInvoke } from './lambda.ts'
import { startExecution } from './start-execution.ts'

const FUNCTION_ARN = /^arn:aws[\w-]*:lambda:[\w-]*:\d*:function:.+$/
const DYNAMODB = /^arn:aws:states:::aws-sdk:dynamodb:(\w+)$/

const NAMED: Readonly<Record<string, Integration>> = {
  'arn:aws:states:::lambda:invoke': lambdaInvoke(''),
  'arn:aws:states:::lambda:invoke.waitForTaskToken': lambdaInvoke('.waitForTaskToken'),
  'arn:aws:states:::states:startExecution': startExecution(''),
  'arn:aws:states:::states:startExecution.sync': startExecution('.sync'),
  'arn:aws:states:::states:startExecution.sync:2': startExecution('.sync:2'),
  'arn:aws:states:::states:startExecution.waitForTaskToken': startExecution('.waitForTaskToken'),
}

/** What `findIntegration` knows, for the message of a refusal. */
export const KNOWN_RESOURCES = `${Object.keys(NAMED).join(', ')}, arn:aws:states:::aws-sdk:dynamodb:{${DYNAMODB_ACTIONS.join(',')}} and ARNs of functions`

const found = new Map<string, Integration>()

/** The integration that a Task's `Resource` names; undefined for one that the stand-in does not have. */
export function findIntegration(resource: string): Integration | undefined {
  const known = found.get(resource)
  if (known !== undefined) return known
  const integration = makeIntegration(resource)
  if (integration !== undefined) found.set(resource, integration)
  return integration
}

function makeIntegration(resource: string): Integration | undefined {
  if (Object.hasOwn(NAMED, resource)) return NAMED[resource]
  if (FUNCTION_ARN.test(resource)) return lambdaFunction(resource)
  const action = DYNAMODB.exec(resource)?.[1] ?? ''
  return isDynamoDbAction(action) ? dynamoDb(action) : undefined
}
