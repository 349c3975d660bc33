import { doer, eq, isPresent, type ListArtifact, listArtifact, size, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { createShapes } from '../../src/compile/shape/shape-of-expression.ts'
import { runMachine } from './run-machine.ts'

const declaration = { name: 'made', description: 'd', input: z.object({}), output: z.unknown() } as const
const find = tool({
  name: 'find',
  description: 'd',
  input: z.object({}),
  output: z.object({
    list: z.array(z.string()),
    best: z.object({ a: z.string() }),
    kept: listArtifact(z.object({ n: z.number() })),
  }),
}).run(() => ({ list: [], best: { a: '' }, kept: { artifact: '', size: 0 } as never }))
type Found<T> = { readonly found: T | null }

describe('N31 what a repeat gives is what it starts from or what its body gives', () => {
  it('a list that is found has items, not characters', async () => {
    const made = doer(declaration).plan((d) => {
      const r = d.repeat(
        'until found',
        { from: { found: null } as Found<string[]>, until: ({ found }) => isPresent(found), max: 3 },
        () => ({ found: d.step('find', find, {}).list }),
      )
      return d.whenPresent(
        'any',
        r.found,
        (found) => size(found),
        () => 0,
      )
    })
    const { output } = await runMachine(
      made,
      {},
      { 'tool-find': () => ({ output: { list: ['one', 'two', 'three'] } }) },
    )
    expect(output).toBe(3)
  })

  it('a field of an object that is found is there', async () => {
    const made = doer(declaration).plan((d) => {
      const r = d.repeat(
        'until found',
        { from: { found: null } as Found<{ a: string }>, until: ({ found }) => isPresent(found), max: 3 },
        () => ({ found: d.step('find', find, {}).best }),
      )
      return d.whenPresent(
        'any',
        r.found,
        ({ a }) => a,
        () => 'none',
      )
    })
    const { output } = await runMachine(made, {}, { 'tool-find': () => ({ output: { best: { a: 'x' } } }) })
    expect(output).toBe('x')
  })

  it('a list artifact that is found is one that a map takes', () => {
    const made = doer(declaration).plan((d) => {
      const r = d.repeat(
        'until found',
        {
          from: { found: null } as Found<ListArtifact<{ n: number }>>,
          until: ({ found }) => isPresent(found),
          max: 3,
        },
        () => ({ found: d.step('find', find, {}).kept }),
      )
      return d.whenPresent(
        'any',
        r.found,
        (found) => d.map('each', found, () => 1),
        () => null,
      )
    })
    expect(JSON.stringify(compileDoer(made))).toContain('(make the list of \\"each\\")')
  })

  it('a state that is handed on as it was leads nowhere else', () => {
    const made = doer(declaration).plan((d) =>
      d.repeat(
        'outer',
        { from: { a: null as string | null, b: 1 }, until: (s) => eq(s.b, 2), max: 2 },
        (outer) =>
          d.repeat('inner', { from: outer, until: (s) => eq(s.b, 2), max: 2 }, (inner) => ({
            a: inner.a,
            b: outer.b,
          })),
      ),
    )
    const shape = createShapes(made)(made.plan.result)
    expect([shape.field('a').isNothing, shape.field('b').mayBeAbsent, shape.field('c').mayBeAbsent]).toEqual([
      true,
      false,
      true,
    ])
  })

  it('takes no longer for each of many repeats in a row, in one or in none', () => {
    const made = doer(declaration).plan((d) =>
      d.repeat('outer', { from: { n: 0 }, until: (s) => eq(s.n, 2), max: 2 }, (outer) => {
        let last = outer
        for (let index = 0; index < 25; index += 1) {
          const before = last
          last = d.repeat(
            `r${index}`,
            { from: before, until: (s) => eq(s.n, 2), max: 2 },
            (s) =>
              d.choose(
                `c${index}`,
                eq(s.n, 1),
                () => s,
                () => before,
              ) as never,
          )
        }
        return last
      }),
    )
    expect(createShapes(made)(made.plan.result).field('n').mayBeAbsent).toBe(false)
  })
})
