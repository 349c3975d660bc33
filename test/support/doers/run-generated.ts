import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../../src/compile/compile-doer.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import type { Doer } from '../../../src/core/doer.ts'
import { type Stage, setStage } from '../../local/step-functions/stage.ts'
import { evaluatePlan, PlanFailed } from './evaluate-plan.ts'
import { generatedDoer, runStep } from './generated-doers.ts'

const stepMessage = z.object({ kind: z.literal('step'), input: z.unknown() })

/** Runs generated doers on the local Step Functions, each to the result that evaluating its plan gives. Throws with the smallest that differs. */
export async function runGenerated(numRuns: number, seed: number): Promise<void> {
  await using stage = await setStage(({ functionName, payload }) => {
    const message = stepMessage.safeParse(payload)
    if (!message.success) return { result: null }
    try {
      return { result: { output: runStep(functionName.replace('shop-tool-', ''), message.data.input) } }
    } catch (error) {
      if (!(error instanceof PlanFailed)) throw error
      return { functionError: { errorType: error.failure, errorMessage: error.message } }
    }
  })
  let machines = 0
  await fc.assert(
    fc.asyncProperty(generatedDoer, fc.nat(20), async (doer, n) => {
      machines += 1
      expect(await runOn(stage, doer, n, `machine-${machines}`)).toEqual(expectedOf(doer, n))
    }),
    { numRuns, seed },
  )
}

async function runOn(stage: Stage, doer: Doer, n: number, name: string): Promise<unknown> {
  const machine = renderMachine(compileDoer(doer), { prefix: 'shop' })
  const arn = await stage.create(name, { ...machine })
  const execution = await stage.ended(await stage.start(arn, { runId: 'run-1', input: { n } }))
  return execution.status === 'SUCCEEDED'
    ? { output: JSON.parse(execution.output ?? 'null') }
    : { failure: execution.error }
}

function expectedOf(doer: Doer, n: number): unknown {
  try {
    return { output: JSON.parse(JSON.stringify(evaluatePlan(doer.plan, { n }, runStep))) }
  } catch (error) {
    if (error instanceof PlanFailed) return { failure: error.failure }
    throw error
  }
}
