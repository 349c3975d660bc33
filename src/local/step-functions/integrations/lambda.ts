import * as z from 'zod'
import { StateFailed } from '../errors.ts'
import { type Integration, serviceEvents } from './integration.ts'

/** One invocation, as a task asks for it. */
export interface LambdaRequest {
  readonly service: 'lambda'
  /** A name or an ARN. */
  readonly functionName: string
  /** JSON text. */
  readonly payload: string | undefined
  readonly invocationType: 'RequestResponse' | 'Event' | 'DryRun'
  readonly qualifier?: string
}

/** What lambda:invoke takes; `ClientContext` and `LogType` have no meaning here. */
const invokeArguments = z.strictObject({
  FunctionName: z.string().min(1),
  Payload: z.unknown().optional(),
  InvocationType: z.enum(['RequestResponse', 'Event', 'DryRun']).optional(),
  Qualifier: z.string().optional(),
  ClientContext: z.string().optional(),
  LogType: z.enum(['None', 'Tail']).optional(),
})

/** `lambda:invoke`: the result is AWS's envelope with the function's `Payload`. */
export function lambdaInvoke(pattern: '' | '.waitForTaskToken'): Integration {
  return {
    endsWith: pattern === '' ? 'answer' : 'token',
    events: serviceEvents('lambda', `invoke${pattern}`),
    request: lambdaRequest,
    result: (answer) => answer,
  }
}

/** A function's ARN itself: its events are of types of their own, and its payload is the result. */
export function lambdaFunction(arn: string): Integration {
  return {
    endsWith: 'answer',
    events: {
      scheduled: 'LambdaFunctionScheduled',
      started: 'LambdaFunctionStarted',
      succeeded: 'LambdaFunctionSucceeded',
      failed: 'LambdaFunctionFailed',
      timedOut: 'LambdaFunctionTimedOut',
      common: undefined,
      scheduledDetails: (input) => ({ resource: arn, input, inputDetails: { truncated: false } }),
    },
    request: (argument) => ({
      service: 'lambda',
      functionName: arn,
      payload: JSON.stringify(argument),
      invocationType: 'RequestResponse',
    }),
    result: (answer) =>
      typeof answer === 'object' && answer !== null && 'Payload' in answer ? answer.Payload : null,
  }
}

/** A text that is JSON is the body itself; everything else is put into JSON. */
function bodyOf(payload: unknown): string {
  if (typeof payload !== 'string') return JSON.stringify(payload)
  try {
    JSON.parse(payload)
    return payload
  } catch {
    return JSON.stringify(payload)
  }
}

function lambdaRequest(argument: unknown): LambdaRequest {
  const parsed = invokeArguments.safeParse(argument)
  if (!parsed.success)
    throw new StateFailed({
      error: 'States.Runtime',
      cause: `The Arguments of lambda:invoke do not fit: ${z.prettifyError(parsed.error)}`,
    })
  const { FunctionName, Payload, InvocationType = 'RequestResponse', Qualifier } = parsed.data
  return {
    service: 'lambda',
    functionName: FunctionName,
    payload: Payload === undefined ? undefined : bodyOf(Payload),
    invocationType: InvocationType,
    ...(Qualifier === undefined ? {} : { qualifier: Qualifier }),
  }
}
