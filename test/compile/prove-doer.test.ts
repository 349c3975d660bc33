import { add, at, doer, gt, NotFound, size, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { figuresOf } from '../../src/compile/proof/figures.ts'
import { proveDoer } from '../../src/compile/proof/prove-doer.ts'
import type { Doer } from '../../src/core/doer.ts'
import { runMachine } from './run-machine.ts'
import { validated } from './validated.ts'

/** Its task has 22 retries, and with them 71 events in the history, 72 where it fails. */
const work = tool({
  name: 'work',
  description: 'Works',
  idempotent: true,
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number() }),
}).run(({ n }) => ({ n }))

const numbers = z.object({ numbers: z.array(z.number()) })
const declaration = { description: 'd', input: numbers, output: z.unknown() }
const figures = (each: Doer) => figuresOf(each, proveDoer(each))
const functions = {
  'tool-work': ({ input }: { input: Record<string, unknown> }) => ({ output: { n: Number(input.n) + 1 } }),
}

const mapping = (atMost?: number) =>
  doer({ name: 'mapping', ...declaration }).plan((d, input) =>
    d.map('all', input.numbers, (n) => d.step('work', work, { n }).n, atMost === undefined ? {} : { atMost }),
  )

const repeating = (max: number) =>
  doer({ name: 'repeating', ...declaration }).plan((d) =>
    d.repeat('again', { from: { n: 0 }, until: ({ n }) => gt(n, 9_999), max }, ({ n }) => {
      const one = d.step('one', work, { n })
      return { n: d.step('two', work, { n: one.n }).n }
    }),
  )

const readingNothing = doer({ name: 'reading_nothing', ...declaration }).plan((d, input) =>
  d.map('all', input.numbers, () => [{ the: ['same'] }]),
)

describe('W5 a doer that does not fit into one history is split', () => {
  it('not where it fits', () => {
    expect(figures(mapping(300))).toMatchObject({ split: [], assumptions: [] })
    expect(figures(repeating(100))).toMatchObject({ split: [] })
  })

  it('by item where a map has too many, or nobody says how many', () => {
    const { split, events, assumptions } = figures(mapping(400))
    expect({ split, assumptions }).toEqual({ split: ['map "all" by item'], assumptions: [] })
    expect(events).toBeLessThan(200)
    expect(figures(mapping())).toMatchObject({
      split: ['map "all" by item'],
      assumptions: [
        'map "all" has 1,000 items (its list has no maximum: give its schema one, or the map `atMost`)',
      ],
    })
  })

  it('by as many times of a repeat as fit', () => {
    const { split, events } = figures(repeating(1_000))
    expect(split).toEqual(['repeat "again" by 173 of 1,000 times'])
    expect(events).toBeGreaterThan(24_800)
    expect(events).toBeLessThanOrEqual(25_000)
  })

  it('only inside, where that is enough', () => {
    const inner = doer({ name: 'inner', ...declaration }).plan((d, input) =>
      d.repeat('outer', { from: { n: 0 }, until: ({ n }) => gt(n, 9), max: 20 }, ({ n }) => {
        const all = d.map('all', input.numbers, (one) => d.step('work', work, { n: one }).n, { atMost: 400 })
        return { n: add(n, all.length) }
      }),
    )
    expect(figures(inner).split).toEqual(['map "all" by item'])
  })

  it.each([[mapping()], [mapping(400)], [repeating(1_000)], [readingNothing]])(
    'into a machine that asl-validator takes',
    (each) => {
      expect(validated(compileDoer(each))).toMatchObject({ isValid: true, errors: [] })
    },
  )

  it('with the results of the whole, whatever is read of what is outside', async () => {
    const reading = doer({ name: 'reading', ...declaration }).plan((d, input) => {
      const first = d.step('first', work, { n: 1 })
      const lists = d.map('outer', input.numbers, (n, index) =>
        d.map('inner', input.numbers, (m, place) => [n, index, m, place, first.n], {}),
      )
      return d.repeat('grow', { from: { lists, n: 0 }, until: (s) => gt(s.n, 1), max: 3 }, (s) => ({
        lists: s.lists,
        n: add(s.n, first.n),
      }))
    })
    const { output } = await runMachine(reading, { numbers: [5, 6] }, functions)
    expect(output).toEqual({
      lists: [
        [
          [5, 0, 5, 0, 2],
          [5, 0, 6, 1, 2],
        ],
        [
          [6, 1, 5, 0, 2],
          [6, 1, 6, 1, 2],
        ],
      ],
      n: 2,
    })
  })
})

describe('W5 what a split map gives', () => {
  it.each([[[]], [[1]], [[1, 2]]])('is a list of lists as it was, for %j', async (items) => {
    const { output } = await runMachine(readingNothing, { numbers: items }, functions)
    expect(output).toEqual(items.map(() => [{ the: ['same'] }]))
  })

  it('is the first failure in the order of the list, with its name, once all have run', async () => {
    const failing = {
      'tool-work': ({ input }: { input: Record<string, unknown> }) => {
        if (input.n !== 1) throw new NotFound(`nothing for ${input.n}`)
        return { output: { n: 1 } }
      },
    }
    const ran = await runMachine(mapping(), { numbers: [1, 2, 3] }, failing)
    expect(ran).toMatchObject({
      status: 'FAILED',
      error: 'NotFound',
      cause: 'step "all": step "work": nothing for 2',
    })
    expect(ran.sent.map(({ id }) => id).sort()).toEqual(['resume', 'tool-work', 'tool-work', 'tool-work'])
  })
})

describe('W5 a list of more items than a map says fails the run', () => {
  it('naming the map', async () => {
    const ran = await runMachine(mapping(2), { numbers: [1, 2, 3] }, functions)
    expect(ran).toMatchObject({ status: 'FAILED', error: 'Internal' })
    expect(ran.cause).toContain('step "all": ')
    expect(ran.cause).toContain('"all" takes at most 2 items')
    expect(ran.sent.map(({ id }) => id)).toEqual(['resume'])
  })

  it('and one of as many runs', async () => {
    const { output } = await runMachine(mapping(3), { numbers: [1, 2, 3] }, functions)
    expect(output).toEqual([2, 3, 4])
  })
})

describe('W5 a doer that exceeds a limit and cannot be split is refused', () => {
  it('for too many steps, saying which has most events and how many are too many', () => {
    const long = doer({ name: 'long', ...declaration }).plan((d) =>
      Array.from({ length: 400 }, (_, index) => d.step(`step ${index}`, work, { n: index })).at(-1),
    )
    expect(() => compileDoer(long)).toThrow(
      /^doer "long": a run can have 28,4\d\d events, 3,4\d\d more than the 25,000 that Step Functions takes of an execution; step "step \d+" has most of them, 7\d\./,
    )
  })

  it('for too many branches, also in an item of a map', () => {
    const wide = doer({ name: 'wide', ...declaration }).plan((d, input) =>
      d.map('all', input.numbers, (n) =>
        d.parallel(
          'branches',
          Object.fromEntries(
            Array.from({ length: 400 }, (_, index) => [
              `b${index}`,
              () => d.step(`step ${index}`, work, { n }),
            ]),
          ),
        ),
      ),
    )
    expect(() => compileDoer(wide)).toThrow(/^doer "wide": an execution of "all" can have 2\d,\d\d\d events/)
  })

  it('for a bounded payload that is too large, saying whose and by how much', () => {
    const large = tool({
      name: 'large',
      description: 'Gives much',
      readOnly: true,
      input: z.object({}),
      output: z.object({ texts: z.array(z.string().max(1_000)).max(100) }),
    }).run(() => ({ texts: [] }))
    const heavy = doer({ name: 'heavy', ...declaration }).plan((d) => {
      const { texts } = d.step('load', large, {})
      return d.map('sizes', texts, (one) => size(one))
    })
    expect(() => compileDoer(heavy)).toThrow(
      'doer "heavy": the output of step "load" can have 302,311 bytes, 40,167 more than the 262,144 that Step Functions hands',
    )
  })

  it('also for what each execution of a split map is handed', () => {
    const texts = z.object({ texts: z.array(z.string().max(40_000)).max(2) })
    const handing = doer({
      name: 'handing',
      description: 'd',
      input: texts.extend({ numbers: z.array(z.number()) }),
      output: z.unknown(),
    }).plan((d, input) => d.map('all', input.numbers, (n) => ({ n, first: at(input.texts, 0) })))
    const payloads = proveDoer(handing).payloads.map(({ of }) => of)
    expect(payloads).toContain('what each execution of map "all" is handed')
  })
})
