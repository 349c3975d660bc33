import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../../src/compile/compile-doer.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import type { Doer } from '../../../src/core/doer.ts'
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
 * Runs generated doers on the local Step Functions, each to the result that evaluating its plan gives. Functions answer as the runtime does: what
 * the machine only hands on stays in the record, however small. Throws with the smallest that differs.
 */
export async function runGenerated(numRuns: number, seed: number): Promise<void> {
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
  await fc.assert(
    fc.asyncProperty(generatedDoer, fc.nat(20), async (doer, n) => {
      machines += 1
      expect(await runOn(stage, doer, n, `machine-${machines}`, outputs)).toEqual(expectedOf(doer, n))
    }),
    { numRuns, seed },
  )
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

async function runOn(
  stage: Stage,
  doer: Doer,
  n: number,
  name: string,
  outputs: ReadonlyMap<string, unknown>,
): Promise<unknown> {
  const machine = renderMachine(compileDoer(doer), { prefix: 'shop' })
  const arn = await stage.create(name, { ...machine })
  const execution = await stage.ended(await stage.start(arn, { runId: name, input: { n } }))
  return execution.status === 'SUCCEEDED' ? { output: outputs.get(name) } : { failure: execution.error }
}

function expectedOf(doer: Doer, n: number): unknown {
  try {
    return { output: JSON.parse(JSON.stringify(evaluatePlan(doer.plan, { n }, runStep))) }
  } catch (error) {
    if (error instanceof PlanFailed) return { failure: error.failure }
    throw error
  }
}
