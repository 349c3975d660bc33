import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Proof, proveDoer } from '../../../src/compile/proof/prove-doer.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import { MAXIMUM_EVENTS } from '../../../src/compile/worst-case/worst-case.ts'
import type { Doer } from '../../../src/core/doer.ts'
import { DefinitionError } from '../../../src/core/errors.ts'
import { type Stage, setStage } from '../../local/step-functions/stage.ts'
import { answeringFunctions, type Done } from './answering-functions.ts'
import { evaluatePlan } from './evaluate-plan.ts'
import { doerOf } from './generated-doers.ts'
import { comparable } from './kept-list.ts'
import { createLeapingClock } from './leaping-clock.ts'
import { PlanFailed, Undetermined } from './plan-failed.ts'
import { program } from './programs.ts'

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
): Promise<Done & { readonly split: number }> {
  const functions = answeringFunctions(() => stage.client)
  await using stage = await setStage(functions.answer, { clock: createLeapingClock() })
  let machines = 0
  let split = 0
  await fc.assert(
    fc.asyncProperty(program, fc.nat(20), async (statements, n) => {
      const doer = doerOf(statements)
      const proof = proveWithin(doer, maximumEvents)
      const expected = expectedOf(doer, proof, n)
      fc.pre(expected !== UNDETERMINED)
      machines += 1
      if (proof.split.size > 0) split += 1
      const runId = `run-${machines}`
      functions.expect(runId, doer)
      const { failure, cause, events } = await runOn(stage, proof, n, runId)
      functions.throwFaults()
      const ended = failure === undefined ? { output: functions.outputOf(runId) } : { failure }
      expect(ended, cause).toEqual(expected)
      expect(events).toBeLessThanOrEqual(proof.worst.histories[0]?.events ?? 0)
    }),
    { numRuns, seed },
  )
  return { split, ...functions.done }
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
  const { status, error, cause } = await stage.ended(executionArn)
  const last = await stage.client.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 }),
  )
  return { failure: status === 'SUCCEEDED' ? undefined : error, cause, events: last.events?.[0]?.id }
}

const UNDETERMINED = Symbol('undetermined')

function expectedOf({ plan }: Doer, { split }: Proof, n: number): unknown {
  try {
    return { output: comparable(evaluatePlan(plan, { n }, split)) }
  } catch (error) {
    if (error instanceof PlanFailed) return { failure: error.failure }
    if (error instanceof Undetermined) return UNDETERMINED
    throw error
  }
}
