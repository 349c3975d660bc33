import { doer, eq, gt, orElse, type Ref, size, text, thinker, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up an order',
  readOnly: true,
  input: z.object({ orderNumber: z.string() }),
  output: z.object({
    status: z.enum(['open', 'shipped']),
    total: z.number(),
    note: z.string().optional(),
    parcels: z.array(z.object({ id: z.string() })),
    place: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('here'), shelf: z.number() }),
      z.object({ kind: z.literal('sold'), to: z.string() }),
    ]),
  }),
}).run(() => ({ status: 'open', total: 1, parcels: [], place: { kind: 'here', shelf: 1 } }))

const writer = thinker({
  name: 'writer',
  description: 'Writes',
  grade: 'small',
  outputSize: 'compact',
  input: z.object({ total: z.number() }),
  output: z.object({ letter: z.string() }),
  instructions: 'Write.',
  palette: [],
})

const declaration = {
  name: 'typed',
  description: 'd',
  input: z.object({ orderNumber: z.string(), urgent: z.boolean() }),
  output: z.object({ letter: z.string(), total: z.number() }),
} as const

/** Each line marked so must not compile; `tsc` fails when one does. What they do when run is not the point. */
describe('N31 mistakes in a plan are errors in the editor', () => {
  it('compiles what is right', () => {
    const right = doer(declaration).plan((d, input) => {
      const order = d.step('look up', lookUp, { orderNumber: input.orderNumber })
      const total = d.match('by status', order.status, { open: () => order.total, shipped: () => 0 })
      const notes = d.map('parcels', order.parcels, (parcel, index) => text`${index}: ${parcel.id}`)
      const count: Ref<number> = size(notes)
      const { letter } = d.choose(
        'large',
        gt(total, 100),
        () => d.step('write', writer, { total }),
        () => ({ letter: orElse(order.note, 'none') }),
      )
      return { letter, total: d.repeat('grow', { from: count, until: (n) => gt(n, 3), max: 3 }, (n) => n) }
    })
    expect(right.plan.nodes.map(({ kind }) => kind)).toEqual(['step', 'choose', 'map', 'choose', 'repeat'])
  })

  it('does not compile what is wrong', () => {
    const wrong = () =>
      doer(declaration).plan((d, input) => {
        // @ts-expect-error a field that the input does not have
        input.orderNo
        // @ts-expect-error an input of the wrong type
        d.step('a', lookUp, { orderNumber: input.urgent })
        // @ts-expect-error an input that lacks a field
        d.step('b', lookUp, {})
        const order = d.step('c', lookUp, { orderNumber: 'A-1' })
        // @ts-expect-error a field that the output does not have
        order.state
        // @ts-expect-error a part of a value that may be absent
        order.note.length
        // @ts-expect-error no branch for `shipped`
        d.match('d', order.status, { open: () => 1 })
        // @ts-expect-error a branch for what the value cannot be
        d.match('e', order.status, { open: () => 1, shipped: () => 2, lost: () => 3 })
        // @ts-expect-error no branch for `sold`
        d.cases('j', order.place, 'kind', { here: () => 1 })
        d.cases('k', order.place, 'kind', {
          here: () => 1,
          // @ts-expect-error a field of the other member
          sold: (place) => place.shelf,
        })
        const settled = d.map('n', order.parcels, () => 1, { tolerate: 'all' })
        // @ts-expect-error no branch for what failed
        d.map('o', settled, (one) => d.cases('p', one, 'ok', { true: ({ value }) => value }))
        d.map('q', settled, (one) =>
          // @ts-expect-error what failed has no value
          d.cases('r', one, 'ok', { true: ({ value }) => value, false: ({ value }) => value }),
        )
        // @ts-expect-error no tag of its members
        d.cases('l', order.place, 'sort', { here: () => 1, sold: () => 2 })
        const one = () => 1
        // @ts-expect-error a value where a condition is wanted
        d.choose('f', input.urgent, one, one)
        // @ts-expect-error numbers and texts are never equal
        eq(order.total, 'one')
        // @ts-expect-error a list where a number is wanted
        gt(order.parcels, 1)
        // @ts-expect-error a map over what is no list
        d.map('g', order.total, () => null)
        // @ts-expect-error a failure that is none
        d.recover('h', () => 1, { on: ['Lost'], with: () => 2 })
        // @ts-expect-error the body's state is not the one it began with
        d.repeat('i', { from: { n: 1 }, until: (state) => gt(state.n, 1), max: 2 }, () => ({ n: 'one' }))
        return { letter: 'l', total: order.total }
      })
    expect(wrong).toThrow()
  })

  it('does not compile a result of another type', () => {
    // @ts-expect-error the letter is a text
    const wrong = doer(declaration).plan(() => ({ letter: 1, total: 1 }))
    expect(wrong.name).toBe('typed')
  })
})
