import { add, doer, eq, gt, orElse, type Plan, type Ref, size, text, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { stepsOf } from '../../src/core/doer-plan.ts'

const listOrders = tool({
  name: 'list_orders',
  description: 'Lists orders',
  input: z.object({ customerId: z.string() }),
  output: z.object({ orders: z.array(z.object({ orderNumber: z.string() })) }),
}).run(() => ({ orders: [] }))

const orderStatus = tool({
  name: 'order_status',
  description: 'Looks up an order',
  input: z.object({ orderNumber: z.string() }),
  output: z.object({ status: z.string() }),
}).run(() => ({ status: 'open' }))

const report = doer({
  name: 'report',
  description: 'Reports',
  input: z.object({ customerId: z.string() }),
  output: z.unknown(),
})

/** Carries a reference out of where it belongs. */
function keeper() {
  let held: Ref<string> | undefined
  return {
    keep(reference: Ref<string>) {
      held = reference
      return reference
    },
    kept: () => held as Ref<string>, // the tests keep one before
  }
}

describe('N31 the order of the work is code', () => {
  it('runs the plan once and holds it as data; steps, a map and the steps in it are numbered in order', () => {
    const { plan } = report.plan((d, input) => {
      const { orders } = d.step('list', listOrders, { customerId: input.customerId })
      const lines = d.map(
        'statuses',
        orders,
        (order, index) => ({
          index,
          status: d.step('look up', orderStatus, { orderNumber: order.orderNumber }).status,
        }),
        { concurrency: 5 },
      )
      d.step('list again', listOrders, { customerId: 'C-1' })
      return { lines, count: lines.length, done: true }
    })
    const field = (of: object, name: string) => ({ kind: 'field', of, name })
    const root = (kind: string, id?: number) => ({
      kind: 'root',
      root: id === undefined ? { kind } : { kind, id },
    })
    expect(plan).toEqual({
      nodes: [
        {
          kind: 'step',
          name: 'list',
          id: 1,
          number: 1,
          callable: listOrders,
          isCode: false,
          retry: { on: [], attempts: 1 },
          input: { kind: 'object', fields: { customerId: field(root('input'), 'customerId') } },
        },
        {
          kind: 'map',
          name: 'statuses',
          id: 2,
          list: field(root('result', 1), 'orders'),
          concurrency: 5,
          body: {
            nodes: [
              {
                kind: 'step',
                name: 'look up',
                id: 3,
                number: 2,
                callable: orderStatus,
                isCode: false,
                retry: { on: [], attempts: 1 },
                input: { kind: 'object', fields: { orderNumber: field(root('item', 2), 'orderNumber') } },
              },
            ],
            result: {
              kind: 'object',
              fields: { index: root('index', 2), status: field(root('result', 3), 'status') },
            },
          },
        },
        {
          kind: 'step',
          name: 'list again',
          id: 4,
          number: 3,
          callable: listOrders,
          isCode: false,
          retry: { on: [], attempts: 1 },
          input: { kind: 'object', fields: { customerId: { kind: 'literal', value: 'C-1' } } },
        },
      ],
      result: {
        kind: 'object',
        fields: {
          lines: root('result', 2),
          count: field(root('result', 2), 'length'),
          done: { kind: 'literal', value: true },
        },
      },
    })
  })

  it('refuses a second step of the same name', () => {
    const twice = () =>
      report.plan((d, input) => [d.step('list', listOrders, input), d.step('list', listOrders, input)])
    expect(twice).toThrow('doer "report", step "list": a second step of this name')
  })

  it.each(['', '  ', 'a'.repeat(81)])('refuses the step name "%s"', (name) => {
    expect(() => report.plan((d, input) => d.step(name, listOrders, input))).toThrow(
      'a name is 1 to 80 characters',
    )
  })

  it('keeps names in parentheses for the states that are not steps', () => {
    expect(() => report.plan((d, input) => d.step('(end)', listOrders, input))).toThrow(
      'doer "report", step "(end)": a name does not start with "("',
    )
  })

  it('explains a callable that is undefined by a circle of imports', () => {
    const missing = undefined as unknown as typeof listOrders
    expect(() => report.plan((d, input) => d.step('list', missing, input))).toThrow(
      'doer "report", step "list": its callable is undefined; its module and this one import each other in a circle',
    )
  })

  it('refuses a reference used outside its map, naming step and map', () => {
    let kept: Ref<string> | undefined
    const leak = () =>
      report.plan((d, input) => {
        const { orders } = d.step('list', listOrders, input)
        d.map('statuses', orders, (order) => {
          kept = order.orderNumber
          return null
        })
        return d.step('look up', orderStatus, { orderNumber: kept ?? '' })
      })
    expect(leak).toThrow(
      'doer "report", step "look up": the item of map "statuses".orderNumber is used outside map "statuses"',
    )
  })

  it('refuses the result of a step used outside the map that it ran in', () => {
    let kept: Ref<string> | undefined
    const leak = () =>
      report.plan((d, input) => {
        d.map('statuses', d.step('list', listOrders, input).orders, (order) => {
          kept = d.step('look up', orderStatus, { orderNumber: order.orderNumber }).status
          return kept
        })
        return { kept }
      })
    expect(leak).toThrow('doer "report", the plan: "look up".status is used outside map "statuses"')
  })

  it('refuses a reference of another doer', () => {
    let kept: Ref<string> | undefined
    doer({ name: 'other', description: 'd', input: z.object({ id: z.string() }), output: z.unknown() }).plan(
      (_d, input) => {
        kept = input.id
        return null
      },
    )
    expect(() => report.plan(() => ({ kept }))).toThrow(
      'doer "report", the plan: input.id belongs to doer "other"',
    )
  })

  it('gives steps that may run at the same time, or of which one runs, the same number', () => {
    const { plan } = report.plan((d, input) => {
      const look = (name: string) => d.step(name, orderStatus, { orderNumber: name }).status
      d.parallel('both', { a: () => [look('a1'), look('a2')], b: () => look('b1') })
      const { orders } = d.step('list', listOrders, input)
      d.choose(
        'any',
        gt(size(orders), 0),
        () => look('some'),
        () => [look('none'), look('none again')],
      )
      d.recover('risky', () => look('tried'), { on: ['NotFound'], with: () => look('instead') })
      return look('last')
    })
    expect(stepsOf(plan).map(({ name, number }) => [name, number])).toEqual([
      ['a1', 1],
      ['a2', 2],
      ['b1', 1],
      ['list', 3],
      ['some', 4],
      ['none', 4],
      ['none again', 5],
      ['tried', 6],
      ['instead', 7],
      ['last', 8],
    ])
  })

  it.each<[string, (d: Plan, status: () => Ref<string>) => unknown, string]>([
    [
      'a branch of a parallel',
      (d, status) => {
        const { keep, kept } = keeper()
        d.parallel('both', { a: () => keep(status()), b: () => null })
        return kept()
      },
      'the plan: "look up".status is used outside the branch "a" of parallel "both"',
    ],
    [
      'a branch of a choice, in the other one',
      (d, status) => {
        const { keep, kept } = keeper()
        const list = d.step('list', listOrders, { customerId: 'C-1' })
        return d.choose('any', gt(size(list.orders), 0), () => keep(status()), kept)
      },
      'the branch "otherwise" of choose "any": "look up".status is used outside the branch "then" of choose "any"',
    ],
    [
      'a repeat',
      (d, status) => {
        const { keep, kept } = keeper()
        d.repeat('again', { from: { s: 'x' }, until: (state) => eq(state.s, 'y'), max: 2 }, () => ({
          s: keep(status()),
        }))
        return d.choose(
          'late',
          eq(kept(), 'y'),
          () => 1,
          () => 2,
        )
      },
      'choose "late": eq("look up".status, a value) is used outside repeat "again"',
    ],
    [
      'a handler',
      (d, status) => {
        const { keep, kept } = keeper()
        d.recover('risky', status, {
          on: ['NotFound'],
          with: (failure) => keep(text`${failure.message}!`),
        })
        return { kept: kept() }
      },
      'the plan: join(the failure of recover "risky".message, a value) is used outside the handler of recover "risky"',
    ],
  ])('refuses what belongs to %s elsewhere, naming both', (_, misuse, message) => {
    const plan = () =>
      report.plan((d) => misuse(d, () => d.step('look up', orderStatus, { orderNumber: '1' }).status))
    expect(plan).toThrow(`doer "report", ${message}`)
  })

  it('refuses a condition as a value, and a value as a condition', () => {
    const asValue = () => report.plan((_d, input) => ({ same: eq(input.customerId, 'C-1') }))
    expect(asValue).toThrow('its result.same is a condition, and no value; d.choose makes one of it')
    const asCondition = () =>
      report.plan((d, input) =>
        d.choose(
          'any',
          input.customerId as never,
          () => 1,
          () => 2,
        ),
      )
    expect(asCondition).toThrow(
      'choose "any": its condition is none: eq, gt, isPresent and the like make one',
    )
  })

  it('refuses what would never run, a group without branches, and repeats without bound', () => {
    const afterFail = () =>
      report.plan((d) =>
        d.recover(
          'risky',
          () => {
            const d2 = d as Omit<Plan, 'fail'> & { fail(...given: Parameters<Plan['fail']>): void }
            d2.fail('give up', { name: 'Denied', message: 'no' })
            return d.step('list', listOrders, { customerId: 'C-1' })
          },
          { on: ['Denied'], with: () => null },
        ),
      )
    expect(afterFail).toThrow('step "list": stands after fail "give up", and would never run')
    expect(() => report.plan((d) => d.parallel('none', {}))).toThrow('parallel "none": it has no branch')
    const endless = () =>
      report.plan((d) => d.repeat('again', { from: 1, until: (n) => gt(n, 3), max: 1_001 }, (n) => add(n, 1)))
    expect(endless).toThrow('repeat "again": max is 1001; it is a whole number from 1 to 1000')
    const unknown = () =>
      report.plan((d) => d.recover('r', () => null, { on: ['Oops' as never], with: () => null }))
    expect(unknown).toThrow(
      'recover "r": "Oops" is no failure’s name; those are InvalidInput, NotFound'.replace('’', "'"),
    )
  })

  it.each([0, 41, 2.5])('refuses a concurrency of %d', (concurrency) => {
    const plan = () =>
      report.plan((d, input) =>
        d.map('statuses', d.step('list', listOrders, input).orders, () => null, { concurrency }),
      )
    expect(plan).toThrow(`map "statuses": concurrency is ${concurrency}; it is a whole number from 1 to 40`)
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['12n', 12n],
    ['a Date', new Date(0)],
    ['a function', () => 1],
    ['a promise (a plan is not async: steps give references at once)', Promise.resolve(1)],
    ['undefined', [undefined]],
  ])('refuses %s, which JSON cannot carry, naming the path', (words, value) => {
    const path = Array.isArray(value) ? 'its result.a.b[0]' : 'its result.a.b'
    expect(() => report.plan(() => ({ a: { b: value } }))).toThrow(
      `doer "report", the plan: ${path} is ${words}`,
    )
  })

  it('refuses a field "__proto__", which no two evaluators of JSONata make the same of', () => {
    const value: unknown = JSON.parse('{ "__proto__": 1 }')
    expect(() => report.plan(() => ({ a: value }))).toThrow(
      'doer "report", the plan: its result.a has a field "__proto__", which JSONata leaves out on a laptop',
    )
  })

  it.each<[string, object | number]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a Date', new Date(0)],
    ['a Map', { seen: new Map() }],
    ['a function', [() => 1]],
  ])('refuses %s in an operation, which would be computed with something else', (words, value) => {
    const plan = () => report.plan((_, { customerId }) => orElse(customerId as Ref<unknown>, value))
    expect(plan).toThrow(`orElse takes references and JSON values, not ${words}`)
  })

  it('leaves fields out that are undefined', () => {
    expect(report.plan(() => ({ a: undefined, b: null })).plan.result).toEqual({
      kind: 'object',
      fields: { b: { kind: 'literal', value: null } },
    })
  })

  it('refuses a step that is called after the plan had returned', () => {
    let late: (() => unknown) | undefined
    report.plan((d) => {
      late = () => d.step('late', listOrders, { customerId: 'C-1' })
      return null
    })
    expect(late).toThrow('doer "report", step "late": called after the plan had returned')
  })
})
