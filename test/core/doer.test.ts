import { doer, type Ref, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

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
    const path = (root: object, ...fields: string[]) => ({ kind: 'path', root, path: fields })
    expect(plan).toEqual({
      steps: [
        {
          kind: 'step',
          name: 'list',
          number: 1,
          callable: listOrders,
          input: { kind: 'object', fields: { customerId: path({ kind: 'input' }, 'customerId') } },
        },
        {
          kind: 'map',
          name: 'statuses',
          number: 2,
          list: path({ kind: 'result', number: 1 }, 'orders'),
          concurrency: 5,
          steps: [
            {
              kind: 'step',
              name: 'look up',
              number: 3,
              callable: orderStatus,
              input: {
                kind: 'object',
                fields: { orderNumber: path({ kind: 'item', number: 2 }, 'orderNumber') },
              },
            },
          ],
          result: {
            kind: 'object',
            fields: {
              index: path({ kind: 'index', number: 2 }),
              status: path({ kind: 'result', number: 3 }, 'status'),
            },
          },
        },
        {
          kind: 'step',
          name: 'list again',
          number: 4,
          callable: listOrders,
          input: { kind: 'object', fields: { customerId: { kind: 'literal', value: 'C-1' } } },
        },
      ],
      result: {
        kind: 'object',
        fields: {
          lines: path({ kind: 'result', number: 2 }),
          count: path({ kind: 'result', number: 2 }, 'length'),
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

  it('refuses a map inside a map', () => {
    const nested = () =>
      report.plan((d, input) => {
        const { orders } = d.step('list', listOrders, input)
        return d.map('outer', orders, () => d.map('inner', orders, () => null))
      })
    expect(nested).toThrow('doer "report", map "inner": stands in map "outer"')
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
