import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { type Proof, proveDoer } from '../../../src/compile/proof/prove-doer.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import { MAXIMUM_EVENTS } from '../../../src/compile/worst-case/worst-case.ts'
import type { Doer } from '../../../src/core/doer.ts'
import { DefinitionError } from '../../../src/core/errors.ts'
import { type Stage, setStage } from '../../local/step-functions/stage.ts'
import { evaluatePlan, PlanFailed } from './evaluate-plan.ts'
import { generatedDoer, runStep } from './generated-doers.ts'

const stepMessage = z.object({ kind: z.literal('step'), input: z.unknown() })

/**
 * Runs generated doers on the local Step Functions, each to the result that evaluating its plan gives, in no more events
 * than were computed. `maximumEvents`: what is taken for a history's bound, so that small doers are split as large ones are;
 * a doer that cannot be split so far is taken at the next bound. Throws with the smallest that differs.
 */
export async function runGenerated(
  numRuns: number,
  seed: number,
  maximumEvents = MAXIMUM_EVENTS,
): Promise<{ readonly split: number }> {
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
  let split = 0
  await fc.assert(
    fc.asyncProperty(generatedDoer, fc.nat(20), async (doer, n) => {
      machines += 1
      const proof = proveWithin(doer, maximumEvents)
      if (proof.split.size > 0) split += 1
      const ran = await runOn(stage, proof, n, `machine-${machines}`)
      expect(ran.ended).toEqual(expectedOf(doer, n))
      expect(ran.events).toBeLessThanOrEqual(proof.worst.histories[0]?.events ?? 0)
    }),
    { numRuns, seed },
  )
  return { split }
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

async function runOn(stage: Stage, { machine }: Proof, n: number, name: string) {
  const arn = await stage.create(name, { ...renderMachine(machine, { prefix: 'shop' }) })
  const executionArn = await stage.start(arn, { runId: 'run-1', input: { n } })
  const { status, output = 'null', error } = await stage.ended(executionArn)
  const last = await stage.client.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 }),
  )
  return {
    ended: status === 'SUCCEEDED' ? { output: JSON.parse(output) } : { failure: error },
    events: last.events?.[0]?.id,
  }
}

function expectedOf(doer: Doer, n: number): unknown {
  try {
    return { output: JSON.parse(JSON.stringify(evaluatePlan(doer.plan, { n }, runStep))) }
  } catch (error) {
    if (error instanceof PlanFailed) return { failure: error.failure }
    throw error
  }
}
