import { doer, listArtifact, NotFound, type Plan, type Ref, text } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { letterWriter, listOrders } from './doers.ts'
import { type Functions, NEVER_ENDS, type Ran, runMachine } from './run-machine.ts'
import { validated } from './validated.ts'

const write = (d: Plan) => d.step('write', letterWriter, { refunds: [] }).letter
const list = (d: Plan) => d.step('list', listOrders, { customerId: 'C-1' }).orders
const declaration = { name: 'made', description: 'd', output: z.unknown() } as const

/** A map that tolerates all failures. */
const over = (body: (d: Plan, item: Ref<string>) => unknown) =>
  doer({ ...declaration, input: z.object({ items: z.array(z.string()).max(5) }) }).plan((d, { items }) =>
    d.map('each', items, (item) => body(d, item), { tolerate: 'all' }),
  )
const givenUp = ({ sent }: Ran) =>
  sent
    .map(({ message }) => message)
    .filter((message) => z.object({ kind: z.literal('give-up') }).safeParse(message).success)
const giveUpOf = (index: number) => ({
  kind: 'give-up',
  runId: 'run-1',
  steps: [{ number: expect.any(Number), name: 'write' }],
  indexes: [index],
})
const failing: Functions = {
  'tool-list_orders': () => {
    throw new NotFound('nothing')
  },
  'turn-letter_writer': () => ({ letter: 'Dear customer' }),
}

describe('N31 an item that failed is given up', () => {
  it('with the item’s index, where the agent is its only step', async () => {
    const ran = await runMachine(
      over((d) => d.step('write', letterWriter, { refunds: [] }, { timeoutSeconds: 5 }).letter),
      { items: ['a', 'b'] },
      { 'turn-letter_writer': () => NEVER_ENDS },
    )
    expect(givenUp(ran)).toEqual(expect.arrayContaining([giveUpOf(0), giveUpOf(1)]))
    const error = { name: 'Timeout', message: expect.stringContaining('step "write"') }
    expect(ran.output).toEqual([0, 1].map(() => ({ ok: false, error })))
  })

  it.each<[string, (d: Plan) => unknown, string]>([
    [
      'a parallel whose branches finish',
      (d) => d.parallel('both', { a: () => list(d) }, { onFailure: 'finish' }),
      'step "both": step "list": nothing',
    ],
    [
      'a failure that the plan names',
      (d) => d.fail('give up', { name: 'NotFound', message: 'nothing' }),
      'nothing',
    ],
  ])('after %s', async (_, fails, message) => {
    const made = over((d) => {
      const letter = write(d)
      return [letter, fails(d) ?? null]
    })
    const ran = await runMachine(made, { items: ['a'] }, failing)
    expect(givenUp(ran)).toEqual([giveUpOf(0)])
    expect(ran.output).toEqual([{ ok: false, error: { name: 'NotFound', message } }])
  })

  it('before the failure is kept, where the map makes a list artifact', async () => {
    const made = doer({ ...declaration, input: z.object({ items: listArtifact(z.string()) }) }).plan(
      (d, { items }) =>
        d.map(
          'each',
          items,
          () => ({
            letter: write(d),
            orders: d.parallel('both', { a: () => list(d) }, { onFailure: 'finish' }),
          }),
          {
            tolerate: 'all',
            atMost: 3,
          },
        ),
    )
    expect(validated(compileDoer(made))).toMatchObject({ isValid: true, errors: [] })
    const functions: Functions = {
      ...failing,
      lists: ({ kind }) => (kind === 'finish' ? { artifact: 'x', size: 1 } : null),
    }
    const ran = await runMachine(made, { items: { artifact: 'i', size: 1 } }, functions)
    expect(ran.output).toEqual({ artifact: 'x', size: 1 })
    const kinds = ran.sent.map(({ message }) => z.object({ kind: z.string() }).parse(message).kind)
    expect(kinds).toEqual(['step', 'step', 'give-up', 'save', 'finish', 'end'])
    expect(ran.sent[3]?.message).toMatchObject({
      value: { ok: false, error: { name: 'NotFound', message: 'step "both": step "list": nothing' } },
    })
  })

  it('which needs no state where a body asks none', () => {
    const names = JSON.stringify(compileDoer(over((_d, item) => text`${item}!`)))
    expect(names).not.toContain('settles')
  })
})
