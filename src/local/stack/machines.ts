import { CreateStateMachineCommand, SFNClient, UpdateStateMachineCommand } from '@aws-sdk/client-sfn'
import type { Plan } from '../../compile/plan.ts'
import { renderMachine } from '../../compile/render-machine.ts'
import { machineName } from '../../core/function-name.ts'
import { LOCAL_CREDENTIALS, LOCAL_PREFIX, LOCAL_STATES_ARN } from './environment.ts'

/** Makes the plan's machines, or brings those that are there up to date. */
export async function createMachines(endpoint: string, { machines }: Plan): Promise<void> {
  const client = new SFNClient({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS })
  try {
    for (const { id, definition } of machines) {
      const name = machineName(LOCAL_PREFIX, id)
      const text = JSON.stringify(renderMachine(definition, { prefix: LOCAL_PREFIX }))
      try {
        await client.send(
          new CreateStateMachineCommand({
            name,
            definition: text,
            roleArn: `arn:aws:iam::000000000000:role/${name}`,
          }),
        )
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'StateMachineAlreadyExists') throw error
        const stateMachineArn = `${LOCAL_STATES_ARN}stateMachine:${name}`
        await client.send(new UpdateStateMachineCommand({ stateMachineArn, definition: text }))
      }
    }
  } finally {
    client.destroy()
  }
}
