import { at, doer, NotFound, text } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listOrders } from '../compile/doers.ts'
import { type Functions, runMachine } from '../compile/run-machine.ts'

describe('O25 a map that tolerates failures', () => {
  const tolerant = doer({
    name: 'tolerant',
    description: 'd',
    input: z.object({ numbers: z.array(z.number()) }),
    output: z.unknown(),
  }).plan((d, input) => {
    const settled = d.map(
      'each',
      input.numbers,
      (number) => d.step('list', listOrders, { customerId: text`${number}` }),
      { tolerate: 'all' },
    )
    return { count: settled.length, first: at(settled, 0) }
  })
  const failWith = (message: string): Functions => ({
    'tool-list_orders': () => {
      throw new NotFound(message)
    },
  })
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

  it.each([
    [
      '500 items with 1 KB of a message each',
      500,
      `${'x'.repeat(185)}${'é'.repeat(400)}`,
      `step "list": ${'x'.repeat(132)}`,
    ],
    [
      '1,400 items with a message of 180 characters',
      1_400,
      '漢'.repeat(180),
      `step "list": ${'漢'.repeat(27)}`,
    ],
    ['one tool 2,000 times', 2_000, 'There is none', 'step "list": There is none'],
  ])('keeps its list of errors within a state: %s', async (_, count, said, message) => {
    const ran = await runMachine(tolerant, { numbers: numbers(count) }, failWith(said))
    const first = { ok: false, error: { name: 'NotFound', message } }
    expect([ran.status, ran.output]).toEqual(['SUCCEEDED', { count, first }])
    expect(ran.largestBytes).toBeGreaterThan(count * 50)
    expect(ran.largestBytes).toBeLessThan(250_000)
  })
})
