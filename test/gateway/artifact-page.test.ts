import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createStage } from '../runtime/stage.ts'
import { EXPIRES_AT, NOW } from '../store/records.ts'

const id = '0123456789abcdef0123456789abcdef'

/** A gateway over a table in which one list is saved. */
async function serve(items: readonly unknown[]) {
  const { ports, clock } = createStage()
  const size = await ports.store.artifacts.writeItems(id, items, { expiresAt: EXPIRES_AT })
  await ports.store.artifacts.finish(id, size, EXPIRES_AT)
  const gateway = createGateway(ports, [])
  const ask = async (path: string) => {
    const response = await gateway.request(path)
    return { status: response.status, body: await response.json() }
  }
  return { ask, clock, ports }
}
const Page = z.object({ items: z.array(z.unknown()), next: z.number().optional() })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('N42 a list at the gateway', () => {
  it('is shown from its beginning, a hundred items at first', async () => {
    const { ask } = await serve(numbers(250))
    expect(await ask(`/artifacts/${id}`)).toEqual({
      status: 200,
      body: { id, size: 250, from: 0, items: numbers(100), next: 100 },
    })
  })

  it.each([
    ['from=100&limit=50', 100, 150, 150],
    ['from=95&limit=10', 95, 105, 105],
    ['from=200', 200, 250, undefined],
    ['limit=1000', 0, 250, undefined],
    ['limit=250', 0, 250, undefined],
    ['from=249&limit=1', 249, 250, undefined],
    ['from=250', 250, 250, undefined],
  ])('is shown in parts: %s', async (query, from, end, next) => {
    const { ask } = await serve(numbers(250))
    expect((await ask(`/artifacts/${id}?${query}`)).body).toEqual({
      id,
      size: 250,
      from,
      items: numbers(250).slice(from, end),
      ...(next !== undefined && { next }),
    })
  })

  it.each([
    ['large', 'x'.repeat(3_000_000)],
    ['large once its quotes are escaped for Lambda', '"'.repeat(900_000)],
  ])('is shown in parts of about 4 MB, each with an item at least, when items are %s', async (_, item) => {
    const { ask } = await serve([1, item, item, 2])
    const sizes: number[] = []
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page = Page.parse((await ask(`/artifacts/${id}?from=${next}`)).body)
      sizes.push(page.items.length)
      next = page.next
    }
    expect(sizes).toEqual([2, 2])
  })

  it('may be empty', async () => {
    const { ask } = await serve([])
    expect((await ask(`/artifacts/${id}`)).body).toEqual({ id, size: 0, from: 0, items: [] })
  })
})

describe('N42 what the gateway refuses of a list', () => {
  it.each([
    ['from=-1', 'from', 'It must be a whole number'],
    ['from=', 'from', 'It must be a whole number'],
    ['from=4', 'from', 'The list has 3 items'],
    ['from=100001', 'from', 'Too big: expected number to be <=100000'],
    ['limit=0', 'limit', 'Too small: expected number to be >=1'],
    ['limit=1001', 'limit', 'Too big: expected number to be <=1000'],
    ['limit=1e2', 'limit', 'It must be a whole number'],
  ])('is %s, with the field', async (query, field, problem) => {
    const { ask } = await serve(numbers(3))
    expect(await ask(`/artifacts/${id}?${query}`)).toEqual({
      status: 400,
      body: {
        error: { name: 'InvalidInput', message: `${field}: ${problem}`, fields: [{ field, problem }] },
      },
    })
  })

  it('is an id that no list has, also one that is being written', async () => {
    const { ask, ports } = await serve([1])
    await ports.store.artifacts.writeItem('f'.repeat(32), 0, 1, EXPIRES_AT)
    for (const other of ['f'.repeat(32), `${id}%230`, 'x'.repeat(3_000)])
      expect(await ask(`/artifacts/${other}`)).toEqual({
        status: 404,
        body: {
          error: { name: 'NotFound', message: `No artifact has the id "${decodeURIComponent(other)}"` },
        },
      })
  })

  it('is one that has expired', async () => {
    const { ask, clock } = await serve([1])
    clock.advance(EXPIRES_AT * 1_000 - NOW)
    expect(await ask(`/artifacts/${id}`)).toMatchObject({
      status: 404,
      body: { error: { message: `The artifact "${id}" expired at 2026-04-01T00:00:00.000Z` } },
    })
  })
})
