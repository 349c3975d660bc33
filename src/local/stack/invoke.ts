import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { functionName } from '../../core/function-name.ts'
import { LOCAL_CREDENTIALS, LOCAL_PREFIX } from './environment.ts'

/** Sends events to one function of the local deployment, as EventBridge does. */
export function createInvoke(endpoint: string, functionId: string): (event: unknown) => Promise<void> {
  const client = new LambdaClient({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS })
  return async (event) => {
    await client.send(
      new InvokeCommand({
        FunctionName: functionName(LOCAL_PREFIX, functionId),
        InvocationType: 'Event',
        Payload: JSON.stringify(event),
      }),
    )
  }
}
