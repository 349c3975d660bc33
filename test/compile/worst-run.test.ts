import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import { doer, gt, tool } from 'turnwise'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { proveDoer } from '../../src/compile/proof/prove-doer.ts'
import { renderMachine } from '../../src/compile/render-machine.ts'
import { createManualClock } from '../../src/local/manual-clock.ts'
import { endedOnMovedClock } from '../local/step-functions/ended-on-moved-clock.ts'
import type { Reply } from '../local/step-functions/fake-lambda.ts'
import { setStage } from '../local/step-functions/stage.ts'

const check = tool({
  name: 'check',
  description: 'Checks',
  timeoutSeconds: 5,
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number(), list: z.array(z.number()).max(3) }),
}).run(({ n }) => ({ n, list: [] }))

const busy = doer({
  name: 'busy',
  description: 'Works on',
  input: z.object({ n: z.number() }),
  output: z.unknown(),
}).plan((d, input) => {
  const { list } = d.step('list', check, { n: input.n })
  const longer = d.choose(
    'which way',
    gt(input.n, 3),
    () =>
      d.repeat('again', { from: { n: 0 }, until: ({ n }) => gt(n, 9), max: 3 }, ({ n }) => ({
        n: d.step('in the loop', check, { n }).n,
      })),
    () => ({ n: 1 }),
  )
  const all = d.map('all', list, (n) => d.step('of an item', check, { n }).n)
  const { left } = d.parallel('both', {
    left: () => d.step('left', check, { n: longer.n }).n,
    right: () => d.step('right', check, { n: longer.n }).n,
  })
  return { all, left }
})

/** Fails every attempt that is retried, each for an error of another rule, and then answers. */
function createStubborn() {
  const asked = new Map<string, number>()
  return (payload: unknown): Reply => {
    const { kind, step } = z.looseObject({ kind: z.string(), step: z.unknown().optional() }).parse(payload)
    const name = kind === 'end' ? kind : JSON.stringify(step)
    const times = (asked.get(name) ?? 0) + 1
    asked.set(name, times)
    // The rules of `toolRetry` for 5 s: 6, 2 and 5 times; of the end's report 6 times.
    if (times <= 6) return { status: 500, exception: 'ServiceException' }
    if (kind === 'end') return { result: null }
    const names = [
      'Runtime.ExitError',
      'Runtime.ExitError',
      ...Array.from({ length: 5 }, () => 'CallInProgress'),
    ]
    const errorType = names[times - 7]
    return errorType === undefined
      ? { result: { output: { n: 1, list: [1, 2, 3] } } }
      : { functionError: { errorType, errorMessage: 'not yet' } }
  }
}

it('W5 a run in which everything is tried as often as it may has nearly as many events as were computed', async () => {
  const clock = createManualClock()
  const answer = createStubborn()
  await using stage = await setStage(({ payload }) => answer(payload), { clock })
  const { machine, worst } = proveDoer(busy)
  const arn = await stage.create('busy', { ...renderMachine(machine, { prefix: 'shop' }) })
  const executionArn = await stage.start(arn, { runId: 'run-1', input: { n: 4 } })
  const { status } = await endedOnMovedClock(stage, clock, executionArn)
  const { events = [] } = await stage.client.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 }),
  )
  const recorded = events[0]?.id ?? 0
  const computed = worst.histories[0]?.events ?? 0
  expect({ status, isBelow: recorded <= computed }).toEqual({ status: 'SUCCEEDED', isBelow: true })
  expect(computed).toBeLessThanOrEqual(1.2 * recorded)
})
