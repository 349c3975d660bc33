import type { LambdaClient } from '@aws-sdk/client-lambda'
import { functionName } from '../core/function-name.ts'
import type { Ports } from '../runtime/ports.ts'
import { permanent } from './permanent.ts'

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
      throw permanent(error, `The function ${target}`) ?? error
    }
  }
}
