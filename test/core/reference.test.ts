import { doer, type Ref, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const listOrders = tool({
  name: 'list_orders',
  description: 'Lists orders',
  input: z.object({}),
  output: z.object({ orders: z.array(z.object({ total: z.number() })) }),
}).run(() => ({ orders: [] }))

type Orders = Ref<{ total: number }[]>

/** Plans a doer that does something with a reference that it ought not to. */
function planWith(misuse: (orders: Orders) => unknown): () => unknown {
  const report = doer({ name: 'report', description: 'Reports', input: z.object({}), output: z.unknown() })
  return () =>
    report.plan((d) => {
      misuse(d.step('list', listOrders, {}).orders)
      return null
    })
}

describe('N31 a reference stands for a value that is known when the machine runs', () => {
  it.each<[string, (orders: Orders) => unknown]>([
    ['turned into text', (orders) => `${orders}`],
    ['turned into text', (orders) => String(orders)],
    ['turned into text', (orders) => (orders as object).toString()],
    ['used in arithmetic, a comparison or text', (orders) => Number(orders.length)],
    ['used in arithmetic, a comparison or text', (orders) => (orders.length as unknown as number) + 1],
    ['used in arithmetic, a comparison or text', (orders) => (orders.length as unknown as number) > 1],
    ['turned into JSON', (orders) => JSON.stringify({ orders })],
    ['iterated or spread', (orders) => [...(orders as unknown as unknown[])]],
    ['spread or listed', (orders) => ({ ...orders })],
    ['spread or listed', (orders) => Object.keys(orders)],
    ['searched with "in"', (orders) => 'total' in orders],
    ['changed', (orders) => Object.assign(orders, { total: 1 })],
  ])('refuses to be %s', (how, misuse) => {
    expect(planWith(misuse)).toThrow(`was ${how}, but its value is known only when the machine runs`)
  })

  it('says which reference was misused', () => {
    expect(planWith((orders) => `${orders}`)).toThrow('doer "report": the reference "list".orders was')
  })

  it('has the fields that the data may have, whatever their names', () => {
    const fields = z.object({
      length: z.string(),
      name: z.string(),
      constructor: z.string(),
      kind: z.string(),
    })
    const { plan } = doer({ name: 'report', description: 'd', input: fields, output: z.unknown() }).plan(
      (_d, input) => [input.length, input.name, input.constructor, input.kind],
    )
    expect(plan.result).toMatchObject({
      items: [{ name: 'length' }, { name: 'name' }, { name: 'constructor' }, { name: 'kind' }],
    })
  })
})
