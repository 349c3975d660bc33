import fc from 'fast-check'
import {
  type Arg,
  add,
  at,
  type Condition,
  divide,
  doer,
  gt,
  isPresent,
  orElse,
  type Ref,
  text,
} from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createWriter } from '../../src/compile/jsonata.ts'
import { createShapes } from '../../src/compile/shape/shape-of-expression.ts'
import { evaluate } from './evaluate.ts'

const Node = z.object({
  name: z.string(),
  get children() {
    return z.array(Node)
  },
})
const input = z.object({
  text: z.string(),
  list: z.array(z.string()),
  lists: z.array(z.array(z.string())),
  maybe: z.string().optional(),
  nothing: z.null(),
  'odd-name': z.string(),
  'a`b': z.string(),
  in: z.number(),
  length: z.number(),
  either: z.union([z.object({ kind: z.string(), more: z.string() }), z.object({ kind: z.string() })]),
  mixed: z.union([z.string(), z.array(z.string())]),
  tree: Node,
})
type Input = z.output<typeof input>

const VALUE: Input = {
  text: 'hello "you"',
  list: ['only'],
  lists: [['only']],
  nothing: null,
  'odd-name': 'odd',
  'a`b': 'ticked',
  in: 0,
  length: 7,
  either: { kind: 'plain' },
  mixed: [],
  tree: { name: 'root', children: [{ name: 'leaf', children: [] }] },
}

/** Writes what a plan returns, and evaluates it over an input. */
async function result(order: (input: Ref<Input>) => Arg<unknown>, value: Input = VALUE): Promise<unknown> {
  const planned = doer({ name: 'd', description: 'd', input, output: z.unknown() }).plan((_d, ref) =>
    order(ref),
  )
  const writer = createWriter(() => '$input', createShapes(planned))
  return evaluate(writer.template(planned.plan.result), { input: value })
}

/** Whether a condition of a plan holds for an input. */
async function conditionHolds(condition: (input: Ref<Input>) => Condition, value: Input): Promise<unknown> {
  const planned = doer({ name: 'd', description: 'd', input, output: z.unknown() }).plan((d, ref) =>
    d.choose(
      'which',
      condition(ref),
      () => 1,
      () => 2,
    ),
  )
  const [node] = planned.plan.nodes
  const [branch] = node?.kind === 'choose' ? node.branches : []
  if (branch === undefined) throw new Error('The plan begins with no choose')
  const writer = createWriter(() => '$input', createShapes(planned))
  return evaluate(`{% ${writer.code(branch.when)} %}`, { input: value })
}

describe('what references are written as', () => {
  it('keeps lists of one item and none, lists in lists, and null', async () => {
    const all = (ref: Ref<Input>) => ({
      list: ref.list,
      lists: ref.lists,
      built: [ref.list, ref.list],
      nothing: ref.nothing,
    })
    expect(await result(all)).toEqual({
      list: ['only'],
      lists: [['only']],
      built: [['only'], ['only']],
      nothing: null,
    })
    expect(await result(all, { ...VALUE, list: [], lists: [[]] })).toEqual({
      list: [],
      lists: [[]],
      built: [[], []],
      nothing: null,
    })
  })

  it('leaves a field out when its value is absent, at any depth, beside lists that stay as they are', async () => {
    const order = (ref: Ref<Input>) => ({
      deep: { maybe: ref.maybe, lists: [ref.list, [ref.text]], text: '{% 1 %}', n: -1.5e30 },
    })
    expect(await result(order)).toEqual({
      deep: { lists: [['only'], ['hello "you"']], text: '{% 1 %}', n: -1.5e30 },
    })
    expect(await result(order, { ...VALUE, maybe: 'here', list: [] })).toEqual({
      deep: { maybe: 'here', lists: [[], ['hello "you"']], text: '{% 1 %}', n: -1.5e30 },
    })
  })

  it('reads fields whatever their names', async () => {
    const names = (ref: Ref<Input>) => [ref['odd-name'], ref['a`b'], ref.in]
    expect(await result(names)).toEqual(['odd', 'ticked', 0])
  })

  it("tells a list's length from a field of that name", async () => {
    expect(await result((ref) => [ref.list.length, ref.lists.length, ref.length])).toEqual([1, 1, 7])
    expect(await result((ref) => [ref.list.length], { ...VALUE, list: [] })).toEqual([0])
  })

  it('knows the fields of unions and of schemas that refer to themselves', async () => {
    expect(
      await result((ref) => ({
        kind: ref.either.kind,
        leaves: ref.tree.children,
        size: ref.tree.children.length,
      })),
    ).toEqual({
      kind: 'plain',
      leaves: [{ name: 'leaf', children: [] }],
      size: 1,
    })
  })

  it.each([-1, 0, 1, 2])('has no item before the first or after the last: %d', async (wanted) => {
    const order = (ref: Ref<Input>) => ({
      item: at(ref.list, add(ref.in, wanted)),
      inItem: at(orElse(at(ref.lists, add(ref.in, wanted)), ['none']), 0),
      written: at(ref.list, 0),
    })
    const item = VALUE.list[wanted]
    expect(await result(order)).toEqual({ ...(item && { item }), inItem: item ?? 'none', written: 'only' })
  })

  it.each([
    [[], undefined, 'last'],
    [[], 'here', 'here'],
    [['first'], undefined, 'first'],
    [['first'], 'here', 'first'],
  ])('takes the first that is there, of %j and %s', async (list, maybe, expected) => {
    const order = (ref: Ref<Input>) => ({
      chain: orElse(at(ref.list, 0), orElse(ref.maybe, 'last')),
      list: orElse(at(ref.lists, 0), ['none']),
      none: orElse(at(ref.lists, 9), ['none']),
    })
    const value = { ...VALUE, list, ...(maybe !== undefined && { maybe }) }
    expect(await result(order, value)).toEqual({ chain: expected, list: ['only'], none: ['none'] })
  })

  it('writes what may be absent once, however deep it is nested', async () => {
    const nested = (ref: Ref<Input>) => {
      let name = text`${orElse(ref.maybe, 'none')}`
      for (let level = 0; level < 30; level += 1) name = text`${orElse(name, 'never')}`
      return name
    }
    expect(await result(nested)).toBe('none')
  })

  it('fails a division by 0 in a value, and in a condition, which would take it for a number', async () => {
    const quotient = (ref: Ref<Input>) => divide(divide(ref.length, ref.in), 2)
    const conditions = [(q: Ref<number>) => gt(q, 3), isPresent]
    await expect(result(quotient)).rejects.toThrow('division by 0')
    expect(await result(quotient, { ...VALUE, in: 2 })).toBe(1.75)
    for (const condition of conditions) {
      const holds = (value: Input) => conditionHolds((ref) => condition(quotient(ref)), value)
      await expect(holds(VALUE)).rejects.toThrow('division by 0')
      expect(await holds({ ...VALUE, in: 1 })).toBe(true)
    }
  })

  it('takes text that looks like an expression for text', async () => {
    expect(await result(() => ['{% $input %}', '{%', '%}', '\u2028"\\'])).toEqual([
      '{% $input %}',
      '{%',
      '%}',
      '\u2028"\\',
    ])
  })

  it('refuses what may be absent in a list', async () => {
    await expect(result((ref) => [ref.maybe])).rejects.toThrow(
      '$input.maybe may be absent; only a field of an object',
    )
  })

  it('refuses what may or may not be a list where JSONata would merge it', async () => {
    await expect(result((ref) => ({ maybe: ref.maybe, list: [ref.mixed] }))).rejects.toThrow(
      '$input.mixed may or may not be a list',
    )
  })

  it('gives back any text, list and literal as they were', async () => {
    const json = fc
      .jsonValue({ noUnicodeString: false, maxDepth: 3 })
      .map((value) => JSON.parse(JSON.stringify(value)))
      // Refused in a plan.
      .filter((value) => !JSON.stringify(value).includes('"__proto__"'))
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string()),
        json,
        fc.boolean(),
        async (text, list, literal, present) => {
          const value = { ...VALUE, text, list, ...(present ? { maybe: text } : {}) }
          const order = (ref: Ref<Input>) => ({
            text: ref.text,
            built: [ref.list, literal],
            maybe: ref.maybe,
          })
          const expected = { text, built: [list, literal], ...(present ? { maybe: text } : {}) }
          expect(await result(order, value)).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })
})
