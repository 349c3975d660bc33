import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { type Proof, proveDoer } from '../../../src/compile/proof/prove-doer.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import { MAXIMUM_EVENTS } from '../../../src/compile/worst-case/worst-case.ts'
import type { Doer } from '../../../src/core/doer.ts'
import { DefinitionError } from '../../../src/core/errors.ts'
import { ToolStepMessage } from '../../../src/runtime/messages.ts'
import type { Reply } from '../../local/step-functions/fake-lambda.ts'
import { type Stage, setStage } from '../../local/step-functions/stage.ts'
import { evaluatePlan, PlanFailed } from './evaluate-plan.ts'
import { generatedDoer, runStep } from './generated-doers.ts'
import { createStepRecords } from './step-records.ts'

const endMessage = z.object({
  kind: z.literal('end'),
  runId: z.string(),
  outcome: z.object({ output: z.unknown() }),
})

/**
 * Runs generated doers on the local Step Functions, each to the result that evaluating its plan gives, in no more events
 * than were computed. Functions answer as the runtime does: what the machine only hands on stays in the record, however small.
 * `maximumEvents`: what is taken for a history's bound, so that small doers are split as large ones are; a doer that cannot be
 * split so far is taken at the next bound. Throws with the smallest that differs.
 */
export async function runGenerated(
  numRuns: number,
  seed: number,
  maximumEvents = MAXIMUM_EVENTS,
): Promise<{ readonly split: number }> {
  const outputs = new Map<string, unknown>()
  await using stage = await setStage(async ({ functionName, payload }) => {
    const step = ToolStepMessage.safeParse(payload)
    if (step.success) return answerStep(functionName.replace('shop-tool-', ''), step.data)
    const end = endMessage.safeParse(payload)
    if (end.success)
      outputs.set(end.data.runId, await records.follow(end.data.runId, end.data.outcome.output))
    return { result: null }
  })
  let machines = 0
  let split = 0
  await fc.assert(
    fc.asyncProperty(generatedDoer, fc.nat(20), async (doer, n) => {
      machines += 1
      const proof = proveWithin(doer, maximumEvents)
      if (proof.split.size > 0) split += 1
      const ran = await runOn(stage, proof, n, `machine-${machines}`)
      const ended = ran.failure === undefined ? { output: outputs.get(ran.runId) } : { failure: ran.failure }
      expect(ended).toEqual(expectedOf(doer, n))
      expect(ran.events).toBeLessThanOrEqual(proof.worst.histories[0]?.events ?? 0)
    }),
    { numRuns, seed },
  )
  return { split }
}

const records = createStepRecords()

async function answerStep(callable: string, message: ToolStepMessage): Promise<Reply> {
  try {
    return { result: { output: await records.answer(message, (input) => runStep(callable, input)) } }
  } catch (error) {
    if (!(error instanceof PlanFailed)) throw error
    return { functionError: { errorType: error.failure, errorMessage: error.message } }
  }
}

/** Split as far as that bound wants it, or the next one that it can be split for. */
export function proveWithin(doer: Doer, maximumEvents: number): Proof {
  try {
    return proveDoer(doer, { maximumEvents })
  } catch (error) {
    if (!(error instanceof DefinitionError) || maximumEvents >= MAXIMUM_EVENTS) throw error
    return proveWithin(doer, maximumEvents * 3)
  }
}

async function runOn(stage: Stage, { machine }: Proof, n: number, runId: string) {
  const arn = await stage.create(runId, { ...renderMachine(machine, { prefix: 'shop' }) })
  const executionArn = await stage.start(arn, { runId, input: { n } })
  const { status, error } = await stage.ended(executionArn)
  const last = await stage.client.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 }),
  )
  return { runId, failure: status === 'SUCCEEDED' ? undefined : error, events: last.events?.[0]?.id }
}

function expectedOf(doer: Doer, n: number): unknown {
  try {
    return { output: JSON.parse(JSON.stringify(evaluatePlan(doer.plan, { n }, runStep))) }
  } catch (error) {
    if (error instanceof PlanFailed) return { failure: error.failure }
    throw error
  }
}
