import { add, at, doer, gt, isPresent, orElse, type Plan, type Ref, size, text, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createShapes } from '../../src/compile/shape/shape-of-expression.ts'
import { createWantedAnswers } from '../../src/compile/wanted-answers.ts'
import { stepsOf } from '../../src/core/doer-plan.ts'

const Order = z.object({ number: z.string(), total: z.number(), note: z.string().optional() })
const list = tool({
  name: 'list',
  description: 'd',
  input: z.object({ any: z.unknown() }),
  output: z.object({
    orders: z.array(Order),
    next: z.string().nullable(),
    tree: z.record(z.string(), z.number()),
  }),
}).run(() => ({ orders: [], next: null, tree: {} }))
type Listed = Ref<{ orders: z.output<typeof Order>[]; next: string | null; tree: Record<string, number> }>

/** What is kept of the step "list" in a plan that goes on from it. */
function kept(order: (d: Plan, listed: Listed) => unknown) {
  const made = doer({ name: 'made', description: 'd', input: z.object({}), output: z.unknown() }).plan((d) =>
    order(d, d.step('list', list, { any: 1 })),
  )
  const { ofStep } = createWantedAnswers(made, createShapes(made))
  const step = stepsOf(made.plan).find(({ name }) => name === 'list')
  return step && ofStep(step).keep
}

describe('N31 what of a step’s result is wanted follows from the plan', () => {
  it.each<[string, (d: Plan, listed: Listed) => unknown, unknown]>([
    ['nothing', () => null, {}],
    ['all of it', (_, listed) => listed, 'passed'],
    [
      'a field handed on',
      (d, { next }) => d.step('use', list, { any: next }),
      { fields: { next: 'passed' } },
    ],
    ['a field in text', (_, { next }) => text`${orElse(next, '')}!`, { fields: { next: 'inline' } }],
    [
      'that a field is there',
      (d, { next }) =>
        d.choose(
          'c',
          isPresent(next),
          () => 1,
          () => 2,
        ),
      { fields: { next: {} } },
    ],
    ['how many', (_, { orders }) => size(orders), { fields: { orders: { items: {} } } }],
    ['how many, otherwise said', (_, { orders }) => orders.length, { fields: { orders: { items: {} } } }],
    [
      'a field of one item',
      (d, { orders }) =>
        d.whenPresent(
          'first',
          at(orders, 0),
          (first) => first.total,
          () => 0,
        ),
      { fields: { orders: { items: { fields: { total: 'passed' } } } } },
    ],
    [
      'what a map’s body reads',
      (d, { orders }) => {
        d.map('m', orders, (order) => d.step('use', list, { any: order.number }))
        return null
      },
      { fields: { orders: { items: { fields: { number: 'passed' } } } } },
    ],
    [
      'items handed on, and a part computed with',
      (d, { orders }) => {
        d.map('m', orders, (order) => ({ more: add(order.total, 1), order }))
        return orders
      },
      { fields: { orders: { whole: true, items: { whole: true, fields: { total: 'inline' } } } } },
    ],
    [
      'what is read of what a branch gives',
      (d, listed) => {
        const chosen = d.choose(
          'c',
          isPresent(listed.next),
          () => listed,
          () => d.step('again', list, { any: 2 }),
        )
        return d.choose(
          'big',
          gt(size(chosen.orders), 5),
          () => chosen.next,
          () => null,
        )
      },
      { fields: { next: 'passed', orders: { items: {} } } },
    ],
    [
      'what is read of what a parallel and a recover give',
      (d, { tree }) => {
        const both = d.parallel('p', {
          a: () => d.recover('r', () => tree, { on: ['NotFound'], with: () => tree }),
          b: () => 1,
        })
        return both.a
      },
      { fields: { tree: 'passed' } },
    ],
    [
      'what a repeat comes to, and no endless way into it',
      (d, listed) => {
        const nested: Ref<unknown> = d.repeat(
          'r',
          {
            from: listed as unknown as Ref<{ next: never }>,
            until: (state) => isPresent(state.next),
            max: 2,
          },
          (state) => state.next,
        )
        return nested
      },
      expect.objectContaining({ whole: true, fields: { next: expect.anything() } }),
    ],
  ])('%s', (_, order, expected) => {
    expect(kept(order)).toEqual(expected)
  })
})
