import { divide, doer, listArtifact, NotFound, type Plan, type Ref, text } from 'turnwise'
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
const writing = { number: expect.any(Number), name: 'write' }
const giveUpOf = (index: number) => ({
  kind: 'give-up',
  runId: 'run-1',
  steps: [writing],
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
    expect(givenUp(ran)).toMatchObject([{ indexes: [0], steps: expect.arrayContaining([writing]) }])
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

describe('N31 what is given up with a part that failed', () => {
  const gives = (body: (d: Plan, items: Ref<string[]>) => unknown) => {
    const made = doer({ ...declaration, input: z.object({ items: z.array(z.string()).max(5) }) }).plan(
      (d, { items }) =>
        d.recover('or not', () => body(d, items) ?? null, { on: ['NotFound', 'Internal'], with: () => null }),
    )
    return Object.entries(compileDoer(made).States).flatMap(([name, state]) =>
      name.startsWith('(give up') && state.Type === 'Task'
        ? [z.object({ steps: z.array(z.object({ name: z.string() })) }).parse(state.Arguments.Payload).steps]
        : [],
    )
  }
  const names = (body: Parameters<typeof gives>[0]) =>
    gives(body).map((steps) => steps.map(({ name }) => name))

  it.each<[string, Parameters<typeof gives>[0], readonly (readonly string[])[]]>([
    [
      'nothing of tools one after the other',
      (d) => [list(d), d.step('again', listOrders, { customerId: '' })],
      [],
    ],
    ['tools of a parallel', (d) => d.parallel('both', { a: () => list(d) }), [['list']]],
    [
      'those of one whose branches finish',
      (d) => d.parallel('both', { a: () => list(d) }, { onFailure: 'finish' }),
      [['list']],
    ],
    ['tools of a group', (d) => d.group('jobs', (g) => g.job('one', () => list(d))), [['list']]],
    ['tools of a map', (d, items) => d.map('each', items, () => list(d)), [['list']]],
    [
      'nothing of a map of one at a time',
      (d, items) => d.map('each', items, () => list(d), { concurrency: 1 }),
      [],
    ],
    ['an agent, wherever it is', (d) => write(d), [['write']]],
  ])('is %s', (_, body, expected) => {
    expect(names(body)).toEqual(expected)
  })

  it('is what runs on where an expression ends a parallel whose branches finish', async () => {
    const made = doer({ ...declaration, input: z.object({ zero: z.number() }) }).plan((d, { zero }) =>
      d.recover(
        'or not',
        () => {
          d.parallel('both', { a: () => divide(1, zero), b: () => list(d) }, { onFailure: 'finish' })
          return 'both'
        },
        { on: ['Internal'], with: () => 'recovered' },
      ),
    )
    const ran = await runMachine(
      made,
      { zero: 0 },
      { 'tool-list_orders': () => ({ output: { orders: [] } }) },
    )
    expect(ran.output).toBe('recovered')
    expect(givenUp(ran)).toMatchObject([{ steps: [{ name: 'list' }] }])
  })
})
