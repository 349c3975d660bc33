import { add, doer, gt, size, text, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { analyse } from '../../src/compile/analysis.ts'
import { payloadsOf } from '../../src/compile/payload/payloads.ts'
import { sizeOfSchema } from '../../src/compile/payload/size-of-schema.ts'

describe('W5 the largest JSON that a schema allows', () => {
  it.each<[string, z.ZodType, number | undefined, unknown]>([
    ['a text', z.string().max(4), 14, '漢字漢字'],
    ['one of some words', z.enum(['a', 'words']), 7, 'words'],
    ['a number', z.number(), 24, -1.7976931348623157e308],
    ['a boolean or null', z.boolean().nullable(), 5, false],
    ['an id', z.uuid(), 38, '550e8400-e29b-41d4-a716-446655440000'],
    ['a list', z.array(z.literal('ab')).max(3), 16, ['ab', 'ab', 'ab']],
    ['an object', z.object({ a: z.literal(1), b: z.literal('x').optional() }), 15, { a: 1, b: 'x' }],
    ['a text without a bound', z.string(), undefined, ''],
    ['a list without one', z.array(z.boolean()), undefined, []],
    ['an object of any fields', z.looseObject({ a: z.boolean() }), undefined, {}],
    ['a record', z.record(z.string(), z.boolean()), undefined, {}],
  ])('%s', (_, schema, bytes, example) => {
    expect(sizeOfSchema(schema).bytes).toBe(bytes)
    expect(Buffer.byteLength(JSON.stringify(example))).toBeLessThanOrEqual(bytes ?? Number.POSITIVE_INFINITY)
  })

  it('is unknown for one that is part of itself', () => {
    const tree: z.ZodType = z.object({
      get children() {
        return z.array(tree).max(2)
      },
    })
    expect(sizeOfSchema(tree).bytes).toBeUndefined()
  })
})

describe('W5 the payloads of a doer', () => {
  const note = tool({
    name: 'note',
    description: 'Notes',
    readOnly: true,
    input: z.object({ text: z.string() }),
    output: z.object({ texts: z.array(z.string().max(10)).max(4), free: z.string() }),
  }).run(() => ({ texts: [], free: '' }))

  it('are bounded where all that is in them is', () => {
    const noting = doer({
      name: 'noting',
      description: 'd',
      input: z.object({ name: z.string().max(10) }),
      output: z.unknown(),
    }).plan((d, input) => {
      const { texts } = d.step('note', note, { text: text`${input.name}!` })
      return d.map('sizes', texts, (each) => ({ each }))
    })
    expect(payloadsOf(analyse(noting))).toEqual([
      { of: 'the input', bytes: 3_000 + '{"name":}'.length + 32 },
      // The text is what is put together, each with its quotes.
      { of: 'the input of step "note"', bytes: 3_000 + '{"text":}'.length + 2 + 32 + 3 },
      // Of all that it gives the texts are read.
      { of: 'the output of step "note"', bytes: 2_000 + '{"texts":}'.length + '[,,,]'.length + 4 * 32 },
      { of: 'what map "sizes" gives', bytes: '[,,,]'.length + 4 * ('{"each":}'.length + 32) },
      { of: 'the result', bytes: 3_000 + '[,,,]'.length + 4 * ('{"each":}'.length + 32) },
    ])
  })

  it('are bounded for the jobs of a group that run at the same time', () => {
    const declaration = { description: 'd', input: z.object({ t: z.string().max(9) }), output: z.unknown() }
    const grouped = doer({ name: 'grouped', ...declaration }).plan((d, { t }) =>
      d.group('all', (g) => {
        const a = g.job('a', () => ({ t }))
        const b = g.job('b', () => ({ both: [t, t] }))
        const c = g.job('c', () => ({ a, b }), { after: [a, b] })
        return { c }
      }),
    )
    expect(payloadsOf(analyse(grouped))[1]).toEqual({
      of: 'what jobs "a", "b" of group "all" give together',
      bytes: '{"a":{"t":},"b":{"both":[,]}}'.length + 3 * 29,
    })
  })

  it('are bounded for a repeat whose state stays as large, and not for one whose state grows', () => {
    const declaration = { description: 'd', input: z.object({ t: z.string().max(9) }), output: z.unknown() }
    const stays = doer({ name: 'stays', ...declaration }).plan((d, input) =>
      d.repeat('stay', { from: { t: input.t, n: 0 }, until: ({ n }) => gt(n, 3), max: 5 }, ({ t, n }) => ({
        t,
        n: add(n, 1),
      })),
    )
    expect(payloadsOf(analyse(stays)).at(-1)?.bytes).toBe(3_000 + '{"t":,"n":}'.length + 29 + 24)
    const grows = doer({ name: 'grows', ...declaration }).plan((d, input) =>
      d.repeat('grow', { from: { t: input.t }, until: ({ t }) => gt(size(t), 9), max: 5 }, ({ t }) => ({
        t: text`${t}${t}`,
      })),
    )
    expect(payloadsOf(analyse(grows)).at(-1)?.bytes).toBeUndefined()
  })
})
