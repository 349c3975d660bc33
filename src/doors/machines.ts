import type { SFNClient } from '@aws-sdk/client-sfn'
import type { Failure } from '../core/errors.ts'
import { machineName } from '../core/function-name.ts'
import { toJsonText } from '../core/json-text.ts'
import type { MachineStatus, Machines } from '../runtime/ports.ts'
import type { Environment } from './environment.ts'
import { permanent } from './permanent.ts'

/** Step Functions takes a cause of at most 32,768 characters. */
const LONGEST_CAUSE = 32_000
/** Step Functions: the output of a task is at most 256 KiB. */
const LARGEST_OUTPUT_BYTES = 262_144
const TOO_LARGE: Failure = {
  name: 'Internal',
  message: `The answer is larger than ${LARGEST_OUTPUT_BYTES} bytes, which is all that a state machine takes`,
}
/** The token is no longer waited for: whoever waited has been told otherwise. */
export const TOKEN_IS_OVER = ['TaskTimedOut', 'InvalidToken', 'TaskDoesNotExist']

/** Doers' executions through Step Functions' client, which is loaded with its first use. */
export function createMachines({ TURNWISE_PREFIX, TURNWISE_STATES_ARN }: Environment): Machines {
  let client: SFNClient | undefined
  const sdk = async () => {
    const commands = await import('@aws-sdk/client-sfn')
    client ??= new commands.SFNClient({})
    return { ...commands, client }
  }
  const machineArn = (doer: string) =>
    `${TURNWISE_STATES_ARN}stateMachine:${machineName(TURNWISE_PREFIX, doer)}`
  const executionArn = (doer: string, runId: string) =>
    `${TURNWISE_STATES_ARN}execution:${machineName(TURNWISE_PREFIX, doer)}:${runId}`

  return {
    async start(doer, runId, input) {
      const { client, StartExecutionCommand } = await sdk()
      const command = new StartExecutionCommand({
        stateMachineArn: machineArn(doer),
        name: runId,
        input: toJsonText(input, 'The input'),
      })
      try {
        await unless(['ExecutionAlreadyExists'], () => client.send(command))
      } catch (error) {
        throw permanent(error, `The machine of ${doer}`) ?? error
      }
    },

    async stop(doer, runId) {
      const { client, StopExecutionCommand } = await sdk()
      const command = new StopExecutionCommand({
        executionArn: executionArn(doer, runId),
        cause: 'The run was cancelled',
      })
      await unless(['ExecutionDoesNotExist'], () => client.send(command))
    },

    async describe(doer, runId) {
      const { client, DescribeExecutionCommand } = await sdk()
      const command = new DescribeExecutionCommand({ executionArn: executionArn(doer, runId) })
      const answer = await unless(['ExecutionDoesNotExist'], () => client.send(command))
      return statusOf(answer)
    },

    async answer(token, answer) {
      const { client, SendTaskSuccessCommand, SendTaskFailureCommand } = await sdk()
      await unless(TOKEN_IS_OVER, async () => {
        const output = 'output' in answer ? toJsonText(answer.output, 'The answer') : undefined
        if (output !== undefined && Buffer.byteLength(output) <= LARGEST_OUTPUT_BYTES)
          await client.send(new SendTaskSuccessCommand({ taskToken: token, output }))
        else {
          const failure = 'failure' in answer ? answer.failure : TOO_LARGE
          await client.send(new SendTaskFailureCommand({ taskToken: token, ...errorOf(failure) }))
        }
      })
    },
  }
}

const errorOf = ({ name, message }: Failure) => ({ error: name, cause: message.slice(0, LONGEST_CAUSE) })

interface DescribedExecution {
  readonly status?: string | undefined
  readonly output?: string | undefined
  readonly error?: string | undefined
  readonly cause?: string | undefined
}

/** How an execution stands, from what DescribeExecution says of it; undefined where there is none. */
export function statusOf(execution: DescribedExecution | undefined): MachineStatus {
  if (!execution) return { kind: 'absent' }
  const { status, output = 'null', error = status, cause = `its execution ended ${status}` } = execution
  if (status === 'RUNNING' || status === 'PENDING_REDRIVE') return { kind: 'running' }
  if (status === 'SUCCEEDED') return { kind: 'succeeded', output: JSON.parse(output) }
  return { kind: 'failed', error: status === 'TIMED_OUT' ? 'States.Timeout' : String(error), cause }
}

/** What a request answers; undefined where it is refused under one of these names. */
export async function unless<T>(names: readonly string[], request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined
    throw error
  }
}
