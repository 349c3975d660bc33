import * as z from 'zod'
import type { StateOf } from '../definition/machine.ts'
import { parseResource, type Resource } from '../definition/resource.ts'
import { StateFailed } from '../errors.ts'
import type { InvocationResult, LambdaRequest } from '../lambda.ts'

/** What lambda:invoke takes; its other arguments are AWS's and have no meaning here. */
const invokeArguments = z.object({
  FunctionName: z.string().min(1),
  Payload: z.unknown().optional(),
  InvocationType: z.enum(['RequestResponse', 'Event', 'DryRun']).optional(),
  Qualifier: z.string().optional(),
})

export function resourceOf(state: StateOf<'Task'>): Resource {
  const resource = parseResource(state.Resource)
  if (resource === undefined) throw new Error(`The resource ${state.Resource} got past the checks`)
  return resource
}

/** The request of a task with evaluated Arguments (the input, where there are none). Throws `StateFailed` with `States.Runtime`. */
export function lambdaRequest(resource: Resource, argument: unknown): LambdaRequest {
  if (resource.kind === 'lambda-function')
    return {
      functionName: resource.arn,
      payload: JSON.stringify(argument),
      invocationType: 'RequestResponse',
    }
  const parsed = invokeArguments.safeParse(argument)
  if (!parsed.success)
    throw new StateFailed({
      error: 'States.Runtime',
      cause: `The Arguments of lambda:invoke do not fit: ${z.prettifyError(parsed.error)}`,
    })
  const { FunctionName, Payload, InvocationType = 'RequestResponse', Qualifier } = parsed.data
  return {
    functionName: FunctionName,
    payload: Payload === undefined ? undefined : JSON.stringify(Payload),
    invocationType: InvocationType,
    ...(Qualifier === undefined ? {} : { qualifier: Qualifier }),
  }
}

/** How one kind of Lambda task shows in the history. Function ARNs have events of their own, without resource and type. */
export interface TaskEvents {
  readonly scheduled: string
  readonly started: string
  readonly succeeded: string
  readonly failed: string
  readonly timedOut: string
  /** Stands in the details of all but `scheduled`. */
  readonly common: Record<string, unknown> | undefined
  readonly scheduledDetails: (argument: string, region: string) => Record<string, unknown>
  /** What of an invocation's result is the task's. */
  readonly result: (result: InvocationResult) => unknown
}

export function taskEvents(resource: Resource): TaskEvents {
  if (resource.kind === 'lambda-function')
    return {
      scheduled: 'LambdaFunctionScheduled',
      started: 'LambdaFunctionStarted',
      succeeded: 'LambdaFunctionSucceeded',
      failed: 'LambdaFunctionFailed',
      timedOut: 'LambdaFunctionTimedOut',
      common: undefined,
      scheduledDetails: (input) => ({ resource: resource.arn, input, inputDetails: { truncated: false } }),
      result: ({ Payload }) => Payload ?? null,
    }
  const common = {
    resourceType: 'lambda',
    resource: resource.waitsForToken ? 'invoke.waitForTaskToken' : 'invoke',
  }
  return {
    scheduled: 'TaskScheduled',
    started: 'TaskStarted',
    succeeded: 'TaskSucceeded',
    failed: 'TaskFailed',
    timedOut: 'TaskTimedOut',
    common,
    scheduledDetails: (parameters, region) => ({ ...common, region, parameters }),
    result: (result) => result,
  }
}
