import { add, doer, gt, listArtifact, type Ref, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { analyse } from '../../src/compile/analysis.ts'
import type { State } from '../../src/compile/asl.ts'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { createFlow } from '../../src/compile/flow/flow.ts'
import { customerReport } from '../fixtures/orders/functions/doers/customer-report.ts'
import { listOrders, noSteps, oneStep, oneThinker, refundAll, refundOrder } from './doers.ts'
import { runMachine } from './run-machine.ts'
import { validated } from './validated.ts'

const count = tool({
  name: 'count',
  description: 'Counts',
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number() }),
}).run(({ n }) => ({ n }))

const DOERS = [oneStep, refundAll, noSteps, oneThinker, customerReport]

describe('N31 a doer compiles to a state machine that a person can read', () => {
  it.each(DOERS)('$name is the machine in its file', async (each) => {
    const machine = `${JSON.stringify(compileDoer(each), null, 2)}\n`
    await expect(machine).toMatchFileSnapshot(`snapshots/${each.name}.asl.json`)
  })

  it.each(DOERS)('$name is accepted by asl-validator', (each) => {
    expect(validated(compileDoer(each))).toMatchObject({ isValid: true, errors: [] })
  })

  it('gives the same bytes for the same doer', () => {
    expect(JSON.stringify(compileDoer(refundAll))).toBe(JSON.stringify(compileDoer(refundAll)))
  })

  it('waits for a tool 15 s longer than its timeout, and asks again until an earlier delivery must be over', () => {
    const { States } = compileDoer(refundAll)
    const refunds = States.refunds
    const refund = refunds?.Type === 'Map' ? refunds.ItemProcessor.States.refund : undefined
    expect(refund).toMatchObject({ TimeoutSeconds: 35 })
    // A claim is dead 35 s after it was made, at most; 40 s where clocks differ.
    const { delays, total } = asksOf(refund)
    expect(delays[0]).toBe(5)
    expect(Math.max(...delays)).toBeLessThanOrEqual(60)
    expect(total).toBeGreaterThanOrEqual(20 + 30)
    expect(total - (delays.at(-1) ?? 0)).toBeLessThan(20 + 30)
  })

  it('asks for an idempotent tool until three deliveries must be over, and never waits for one that changes nothing', () => {
    const declaration = { description: 'd', input: z.object({}), output: z.object({}) }
    const set = tool({ ...declaration, name: 'set', idempotent: true, timeoutSeconds: 60 }).run(() => ({}))
    const look = tool({ ...declaration, name: 'look', readOnly: true }).run(() => ({}))
    const both = doer({ ...declaration, name: 'both' }).plan((d) => {
      d.step('look', look, {})
      return d.step('set', set, {})
    })
    const { States } = compileDoer(both)
    expect(asksOf(States.look).delays).toEqual([])
    expect(asksOf(States.set).total).toBeGreaterThanOrEqual(3 * (60 + 30))
  })

  it('takes no longer for each of many chooses that pass a value on in both branches', () => {
    const passing = doer({
      name: 'passing',
      description: 'd',
      input: z.object({ n: z.number() }),
      output: z.number(),
    }).plan((d, { n }) => {
      const first: Ref<{ n: number }> = d.step('count', count, { n })
      const pass = (value: Ref<{ n: number }>, name: string): Ref<{ n: number }> =>
        d.choose(
          name,
          gt(n, 1),
          () => value,
          () => value,
        )
      const last = Array.from({ length: 60 }, (_, index) => `choose ${index}`).reduce(pass, first)
      return last.n
    })
    // 2 to the power of 60 looks at the first would never end.
    expect(Object.keys(compileDoer(passing).States)).toContain('choose 59')
  })

  it('keeps only results that a later state reads', () => {
    const ignoring = doer({ name: 'ignoring', description: 'd', input: z.object({}), output: z.null() }).plan(
      (d) => {
        d.step('list', listOrders, { customerId: 'C-1' })
        return null
      },
    )
    expect(compileDoer(ignoring).States.list).not.toHaveProperty('Assign')
  })

  it('tells places apart whose names look alike between quotes', async () => {
    const alike = doer({
      name: 'alike',
      description: 'd',
      input: z.object({ one: z.enum(['a" of "b']), two: z.enum(['a']) }),
      output: z.unknown(),
    }).plan((d, { one, two }) => ({
      one: d.match('c', one, { 'a" of "b': () => 1 }),
      two: d.match('b" of "c', two, { a: () => 2 }),
    }))
    expect(validated(compileDoer(alike))).toMatchObject({ isValid: true, errors: [] })
    const { output } = await runMachine(alike, { one: 'a" of "b', two: 'a' }, {})
    expect(output).toEqual({ one: 1, two: 2 })
  })

  it('takes names of 80 characters with quotes in them, for every kind of node', async () => {
    const name = (kind: string) => `${kind} of the "customer's" orders ${'x'.repeat(80)}`.slice(0, 80)
    const long = doer({
      name: 'long',
      description: 'd',
      input: z.object({ numbers: z.array(z.number()) }),
      output: z.unknown(),
    }).plan((d, input) => {
      const one = () => d.recover(name('recover'), () => 1, { on: ['NotFound'], with: () => 2 })
      const both = d.parallel(name('parallel'), { [name('label')]: one, other: () => 3 })
      const mapped = d.map(
        name('map'),
        input.numbers,
        (n) =>
          d.choose(
            name('choose'),
            gt(n, 1),
            () => n,
            () => 0,
          ),
        {
          tolerate: 0,
        },
      )
      return {
        both,
        mapped,
        r: d.repeat(name('repeat'), { from: 0, until: (n) => gt(n, 2), max: 5 }, (n) => add(n, 1)),
      }
    })
    const machine = compileDoer(long)
    expect(validated(machine)).toMatchObject({ isValid: true, errors: [] })
    const { output } = await runMachine(long, { numbers: [1, 2] }, {})
    expect(output).toEqual({ both: { [name('label')]: 1, other: 3 }, mapped: expect.anything(), r: 3 })
  })

  it('refuses a result that may be absent, since a state machine has no way to say so', () => {
    const absent = doer({
      name: 'absent',
      description: 'd',
      input: z.object({ note: z.string().optional() }),
      output: z.string().optional(),
    }).plan((_d, input) => input.note)
    expect(() => compileDoer(absent)).toThrow(
      'doer "absent", the result: $input.note may be absent; only a field of an object may be left out',
    )
  })

  it.each<[string, z.ZodType]>([
    ['output.n', z.object({ n: z.number().default(7) })],
    ['output.n', z.object({ n: z.string().transform(Number) })],
    ['output.n', z.object({ n: z.coerce.number() })],
    ['output.n', z.object({ n: z.string().trim() })],
    ['output.n', z.object({ n: z.number().catch(1) })],
    ['output', z.preprocess(String, z.string())],
    ['output.items', z.array(z.number().prefault(1))],
  ])('refuses an output whose schema would change what the plan gives, at %s', (where, output) => {
    const changing = doer({ name: 'changing', description: 'd', input: z.object({}), output }).plan(
      () => ({ n: 1 }) as never,
    )
    expect(() => compileDoer(changing)).toThrow(
      `doer "changing", the result: its ${where} may be changed by its schema`,
    )
  })

  it('gives every step a variable that is legal and hides no function of JSONata', () => {
    const odd = doer({ name: 'odd', description: 'd', input: z.object({}), output: z.unknown() }).plan((d) =>
      ['count', '2nd try', 'größe', '!', 'a'.repeat(80)].map((name) =>
        d.step(name, refundOrder, { orderNumber: '1', reason: 'r' }),
      ),
    )
    const names = Object.values(compileDoer(odd).States).flatMap((state) =>
      state.Type === 'Task' ? Object.keys(state.Assign ?? {}) : [],
    )
    expect(names).toEqual(['count_1', 'nd_try_2', 'gr_e_3', 'step_4', `${'a'.repeat(60)}_5`])
  })

  it('gives jobs in jobs variables of at most 80 characters', () => {
    const nested = doer({ name: 'nested', description: 'd', input: z.object({}), output: z.unknown() }).plan(
      (d) =>
        d.group('all', (g) => {
          const x = g.job('x', () => 1)
          const a = g.job('a', () => 1)
          const b = g.job('b', () => 1, { after: [a] })
          const c = g.job('c', () => 1, { after: [a] })
          const long = g.job('l'.repeat(71), () => 1, { after: [b] })
          const e = g.job('e', () => 1, { after: [b] })
          return { x, a, b, c, long, e }
        }),
    )
    const names = [...JSON.stringify(compileDoer(nested)).matchAll(/\$([A-Za-z_][A-Za-z0-9_]*)/g)].map(
      ([, name = '']) => name,
    )
    expect(names.filter((name) => name.length > 80)).toEqual([])
    expect(names).toContain(`${'l'.repeat(60)}_6_in3`)
  })

  it('cuts no character of a name in half', () => {
    const names = Array.from({ length: 80 }, (_, index) => index + 1).flatMap((length) => {
      const flow = createFlow(analyse(noSteps), { caught: 'c', described: 'd' })
      return flow.stateName(`(${'x'.repeat(length)}${'😀'.repeat(80)})`)
    })
    expect(names.filter((name) => name.length > 80 || !name.isWellFormed())).toEqual([])
  })

  it('refuses more items over a list artifact than a state takes', () => {
    const mapping = (atMost: number) =>
      doer({
        name: 'many',
        description: 'd',
        input: z.object({ list: listArtifact(z.number()) }),
        output: z.unknown(),
      }).plan((d, { list }) => d.map('each', list, () => 1, { atMost }))
    expect(() => compileDoer(mapping(10_001))).toThrow(
      'doer "many", map "each": atMost is 10001; over a list artifact it is at most 10000',
    )
    expect(JSON.stringify(compileDoer(mapping(10_000)))).toContain('takes at most 10000 items')
  })
})

/** How long a step waits before each time that it asks again for what an earlier delivery may still be doing. */
function asksOf(state: State | undefined): { readonly delays: readonly number[]; readonly total: number } {
  const retriers = state?.Type === 'Task' ? state.Retry : []
  const again = retriers.find(({ ErrorEquals }) => ErrorEquals[0] === 'CallInProgress')
  const { MaxAttempts = 0, IntervalSeconds = 1, BackoffRate = 2, MaxDelaySeconds = Infinity } = again ?? {}
  const delays = Array.from({ length: MaxAttempts }, (_, times) =>
    Math.min(IntervalSeconds * BackoffRate ** times, MaxDelaySeconds),
  )
  return { delays, total: delays.reduce((sum, delay) => sum + delay, 0) }
}
