import { SendTaskSuccessCommand, type SFNClient } from '@aws-sdk/client-sfn'
import * as z from 'zod'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { renderMachine } from '../../src/compile/render-machine.ts'
import type { Doer } from '../../src/core/doer.ts'
import { createManualClock } from '../../src/local/manual-clock.ts'
import { endedOnMovedClock } from '../local/step-functions/ended-on-moved-clock.ts'
import type { Invocation, Reply } from '../local/step-functions/fake-lambda.ts'
import { historyOf, setStage } from '../local/step-functions/stage.ts'
import { largestIn } from '../support/cases/largest-in.ts'

const messageSchema = z.looseObject({
  kind: z.enum(['step', 'end', 'emit', 'ask', 'give-up', 'load', 'save', 'finish']),
  input: z.record(z.string(), z.unknown()).default({}),
  taskToken: z.string().optional(),
})
export type Message = z.infer<typeof messageSchema>

/** What a function answers whose run never ends: its task token is not answered. */
export const NEVER_ENDS = Symbol('never ends')

/** By id, what a tool's function answers or throws; for a thinker, the answer that its run ends with. */
export type Functions = Readonly<Record<string, (message: Message) => unknown>>

export interface Ran {
  readonly status: string | undefined
  readonly output: unknown
  readonly error: string | undefined
  readonly cause: string | undefined
  /** What the functions were sent, `resume` included, in the order in which it came. */
  readonly sent: readonly { readonly id: string; readonly message: unknown }[]
  /** UTF-8 of the largest input, output or variable of a state in its history. */
  readonly largestBytes: number
}

/** Runs a doer's machine on the local Step Functions, over functions that answer at once; waits pass by themselves. */
export async function runMachine(doer: Doer, input: unknown, functions: Functions): Promise<Ran> {
  let client: SFNClient | undefined
  const clock = createManualClock()
  const answer = async ({ functionName, payload }: Invocation): Promise<Reply> => {
    const message = messageSchema.parse(payload)
    const run = functions[idOf(functionName)] ?? (() => null)
    try {
      const result = run(message)
      if (result === NEVER_ENDS) return { result: null }
      if (message.taskToken === undefined) return { result }
      const output = JSON.stringify(result)
      await client?.send(new SendTaskSuccessCommand({ taskToken: message.taskToken, output }))
      return { result: null }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return { functionError: { errorType: error.name, errorMessage: error.message, trace: [] } }
    }
  }
  await using stage = await setStage(answer, { clock })
  client = stage.client
  const machine = renderMachine(compileDoer(doer), { prefix: 'shop' })
  const arn = await stage.start(await stage.create('machine', { ...machine }), { runId: 'run-1', input })
  const { status, output, error, cause } = await endedOnMovedClock(stage, clock, arn)
  const sent = stage.invocations.map(({ functionName, payload }) => ({
    id: idOf(functionName),
    message: payload,
  }))
  const largestBytes = largestIn(await historyOf(client, arn))
  return {
    status,
    output: output === undefined ? undefined : JSON.parse(output),
    error,
    cause,
    sent,
    largestBytes,
  }
}

function idOf(functionName: string): string {
  return functionName.replace(/^shop-/, '')
}
