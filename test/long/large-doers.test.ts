import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import { add, doer, gt, type Plan, type Ref, text, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { proveDoer } from '../../src/compile/proof/prove-doer.ts'
import { renderMachine } from '../../src/compile/render-machine.ts'
import type { Doer } from '../../src/core/doer.ts'
import { setStage } from '../local/step-functions/stage.ts'

const ITEMS = 3_000
const TIMES = 1_000

const next = tool({
  name: 'next',
  description: 'Adds one',
  readOnly: true,
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number() }),
}).run(({ n }) => ({ n: n + 1 }))

const declaration = {
  description: 'Does much',
  input: z.object({ numbers: z.array(z.number()) }),
  output: z.unknown(),
}
const step = (d: Plan, name: string, n: Ref<number>) => d.step(name, next, { n }).n

const manyItems = doer({ name: 'many_items', ...declaration }).plan((d, { numbers }) =>
  d.map('all', numbers, (n) => step(d, 'one', n), { concurrency: 40 }),
)

const manyTimes = doer({ name: 'many_times', ...declaration }).plan((d, { numbers }) => {
  const first = step(d, 'first', numbers.length)
  return d.repeat(
    'again',
    { from: { n: first, label: '' }, until: ({ n }) => gt(n, 1e9), max: TIMES },
    ({ n }) => {
      const two = step(d, 'two', step(d, 'one', n))
      return { n: step(d, 'three', add(two, first)), label: text`${two}` }
    },
  )
})

/** Runs on the local Step Functions, over functions that add one, and counts what its history holds. */
async function run(each: Doer, numbers: readonly number[]) {
  await using stage = await setStage(({ payload }) => {
    const { input } = z.looseObject({ input: z.object({ n: z.number() }).optional() }).parse(payload)
    return { result: { output: { n: (input?.n ?? 0) + 1 } } }
  })
  const proof = proveDoer(each)
  const arn = await stage.create(each.name, { ...renderMachine(proof.machine, { prefix: 'shop' }) })
  const executionArn = await stage.start(arn, { runId: 'run-1', input: { numbers } })
  const { status, output = 'null' } = await stage.ended(executionArn)
  const { events = [] } = await stage.client.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 }),
  )
  return { status, output: JSON.parse(output), events: events[0]?.id ?? 0, computed: proof.worst.histories }
}

describe('O26 what is long runs in executions of its own', () => {
  it(`${ITEMS} items of a map, each with a step: all results, and few events`, async () => {
    const numbers = Array.from({ length: ITEMS }, (_, index) => index)
    const { status, output, events, computed } = await run(manyItems, numbers)
    expect(status).toBe('SUCCEEDED')
    expect(output).toEqual(numbers.map((n) => n + 1))
    expect(events).toBeLessThan(30)
    expect(events).toBeLessThanOrEqual(computed[0]?.events ?? 0)
  })

  it(`${TIMES} times of a repeat, each with three steps: the last state, and few events`, async () => {
    const { status, output, events, computed } = await run(manyTimes, [1, 2])
    expect(status).toBe('SUCCEEDED')
    // Each time adds 1 + 1 + 3 + 1.
    expect(output).toEqual({ n: 3 + 6 * TIMES, label: String(3 + 6 * TIMES - 4) })
    expect(events).toBeLessThan(250)
    expect(events).toBeLessThanOrEqual(computed[0]?.events ?? 0)
    for (const history of computed) expect(history.events).toBeLessThanOrEqual(25_000)
  })
})
