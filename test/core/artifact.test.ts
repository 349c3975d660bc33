import { listArtifact } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { itemSchemaOf } from '../../src/core/artifact.ts'

const Order = z.object({ orderNumber: z.string() })
const id = '0123456789abcdef0123456789abcdef'

describe('N42 a reference to a list artifact', () => {
  it('is its id and its size', () => {
    expect(listArtifact(Order).parse({ artifact: id, size: 100_000 })).toEqual({
      artifact: id,
      size: 100_000,
    })
  })

  it.each([
    ['the list itself', [{ orderNumber: 'A-1' }]],
    ['an id of another form', { artifact: 'my list', size: 1 }],
    ['an id with more behind it', { artifact: `${id}\n`, size: 1 }],
    ['no size', { artifact: id }],
    ['half an item', { artifact: id, size: 0.5 }],
    ['more than a list may hold', { artifact: id, size: 100_001 }],
  ])('is not %s', (_, value) => {
    expect(listArtifact(Order).safeParse(value).success).toBe(false)
  })

  it('has the schema of its items, also when it is described or checked', () => {
    const orders = listArtifact(Order)
    const described = orders.describe('Orders').refine(({ size }) => size > 0)
    expect([orders, described, listArtifact(z.string())].map(itemSchemaOf)).toEqual([
      Order,
      Order,
      expect.any(z.ZodString),
    ])
  })

  it('is told from an object that looks like it', () => {
    expect(itemSchemaOf(z.object({ artifact: z.string(), size: z.int() }))).toBeUndefined()
  })
})
