import { doer, type Group, type Plan, type Ref } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Arrangement, arrangeJobs, longerWaits } from '../../src/core/arrange-jobs.ts'
import type { GroupNode } from '../../src/core/doer-plan.ts'

/** Plans a group whose jobs wait as `waits` says: `{ c: ['a', 'b'] }`. */
function groupOf(waits: Readonly<Record<string, readonly string[]>>): GroupNode {
  const { plan } = doer({ name: 'made', description: 'd', input: z.object({}), output: z.unknown() }).plan(
    (d) =>
      d.group('all', (g) => {
        const made: Record<string, Ref<string>> = {}
        for (const [name, after] of Object.entries(waits))
          made[name] = g.job(name, () => name, { after: after.flatMap((other) => made[other] ?? []) })
        return { ...made }
      }),
  )
  return plan.nodes[0] as GroupNode
}

/** `a → (b | c)`: one after the other, and at the same time. */
const say = (part: Arrangement): string =>
  part.kind === 'job'
    ? part.job.name
    : part.kind === 'sequence'
      ? part.parts.map(say).join(' → ')
      : `(${part.parts.map(say).join(' | ')})`

describe('N31 jobs of a group wait for others', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, string, readonly string[]]>([
    ['none', { a: [], b: [] }, '(a | b)', []],
    ['one each', { a: [], b: ['a'], c: ['b'] }, 'a → b → c', []],
    ['several for one', { a: [], b: ['a'], c: ['a'] }, 'a → (b | c)', []],
    ['one for several', { a: [], b: [], c: ['a', 'b'] }, '(a | b) → c', []],
    [
      'in two that have nothing to do with each other',
      { a: [], b: [], c: ['a'], d: ['b'] },
      '(a → c | b → d)',
      [],
    ],
    [
      'in a way that does not nest, by levels',
      { a: [], b: [], c: ['a'], d: ['a', 'b'] },
      '(a | b) → (c | d)',
      ['c waits for b'],
    ],
  ])('%s', (_, waits, arranged, longer) => {
    const group = groupOf(waits)
    expect(say(arrangeJobs(group))).toBe(arranged)
    expect(
      longerWaits(group).map(
        ({ job, others }) => `${job.name} waits for ${others.map(({ name }) => name).join(', ')}`,
      ),
    ).toEqual(longer)
  })

  const planned = (build: (g: Group, d: Plan) => unknown) => () =>
    doer({ name: 'made', description: 'd', input: z.object({}), output: z.unknown() }).plan((d) =>
      d.group('all', (g) => build(g, d)),
    )

  it('hands a job the results of those that it waits for, directly or by way of others', () => {
    expect(
      planned((g) => {
        const a = g.job('a', () => 1)
        const b = g.job('b', () => a, { after: [a] })
        return g.job('c', () => [a, b], { after: [b] })
      }),
    ).not.toThrow()
  })

  it.each<[string, (g: Group, d: Plan) => unknown, string]>([
    [
      'the result of a job that it does not wait for',
      (g) => {
        const a = g.job('a', () => 1)
        return g.job('b', () => a)
      },
      'doer "made", job "b": "a" is used outside the jobs of group "all" that wait for it',
    ],
    [
      'to wait for what is no job of the group',
      (g, d) =>
        g.job('b', () => 1, {
          after: [d.repeat('r', { from: 1, until: () => null as never, max: 1 }, (n) => n)],
        }),
      'doer "made"',
    ],
    [
      'a job in a job',
      (g) => g.job('a', () => g.job('b', () => 1)),
      'job "b": it stands in another; put it beside it',
    ],
    ['a group without jobs', () => 1, 'group "all": it has no job'],
    [
      'what stands in no job',
      (g, d) => {
        d.wait('a while', 1)
        return g.job('a', () => 1)
      },
      'group "all": "a while" stands in it and in none of its jobs',
    ],
  ])('refuses %s', (_, build, problem) => {
    expect(planned(build)).toThrow(problem)
  })
})
