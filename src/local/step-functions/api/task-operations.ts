import * as z from 'zod'
import { type Document, isTooLarge, parseDocument } from '../document.ts'
import type { Engine } from '../engine.ts'
import { ApiError } from '../errors.ts'
import type { Signal } from '../interpreter/handle-signal.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import { type Operation, operation } from './operation.ts'
import { parseTaskToken } from './task-token.ts'

const taskToken = z.string().min(1).max(2_048)

/**
 * Answers to task tokens. A text that is no token is `InvalidToken`; a token of an execution that is not here, `TaskDoesNotExist`; one
 * whose task is over (answered, timed out, its execution ended), `TaskTimedOut`.
 */
export function createTaskOperations(executions: ExecutionStore, engine: Engine): Record<string, Operation> {
  return {
    SendTaskSuccess: operation(z.object({ taskToken, output: z.string() }), async (request) => {
      const output = parseOutput(request.output)
      await answer(request.taskToken, (threadId, token) => ({
        kind: 'token-succeeded',
        threadId,
        token,
        output,
      }))
      return {}
    }),
    SendTaskFailure: operation(
      z.object({
        taskToken,
        error: z.string().max(256).optional(),
        cause: z.string().max(32_768).optional(),
      }),
      async (request) => {
        const failure = { error: request.error, cause: request.cause }
        await answer(request.taskToken, (threadId, token) => ({
          kind: 'token-failed',
          threadId,
          token,
          failure,
        }))
        return {}
      },
    ),
    SendTaskHeartbeat: operation(z.object({ taskToken }), async (request) => {
      await answer(request.taskToken, (threadId, token) => ({ kind: 'heartbeat', threadId, token }))
      return {}
    }),
  }

  async function answer(token: string, toSignal: (threadId: number, token: string) => Signal): Promise<void> {
    const place = parseTaskToken(token)
    if (place === undefined) throw new ApiError('InvalidToken', "Invalid Token: 'Invalid token'")
    const execution = executions.find(place.executionArn)
    if (execution === undefined)
      throw new ApiError(
        'TaskDoesNotExist',
        `Task Does Not Exist: '${place.executionArn}' is not an execution here`,
      )
    if (!(await engine.post(execution.id, toSignal(place.threadId, token))))
      throw new ApiError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'")
  }
}

function parseOutput(text: string): Document {
  if (isTooLarge(text))
    throw new ApiError('InvalidOutput', "Invalid Output: 'The output is larger than 256 KiB'")
  try {
    return parseDocument(text)
  } catch (error) {
    throw new ApiError(
      'InvalidOutput',
      `Invalid Output: '${error instanceof Error ? error.message : String(error)}'`,
    )
  }
}
