import type { LambdaClient } from '@aws-sdk/client-lambda'
import { Denied, NotFound } from '../core/errors.ts'
import { functionName } from '../core/function-name.ts'
import type { Ports } from '../runtime/ports.ts'

/** Asynchronous invocations through Lambda's client, which is loaded with the first of them. */
export function createSend(prefix: string): Ports['send'] {
  let client: LambdaClient | undefined
  return async (target, message) => {
    const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda')
    client ??= new LambdaClient({})
    try {
      await client.send(
        new InvokeCommand({
          FunctionName: functionName(prefix, target),
          InvocationType: 'Event',
          Payload: JSON.stringify(message),
        }),
      )
    } catch (error) {
      throw permanent(error, target) ?? error
    }
  }
}

/** What no repeat can mend. */
function permanent(error: unknown, target: string): Error | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'ResourceNotFoundException')
    return new NotFound(`The function ${target} is not deployed`, { cause: error })
  if (error.name === 'AccessDeniedException')
    return new Denied(`The function ${target} may not be invoked from here`, { cause: error })
  return undefined
}
