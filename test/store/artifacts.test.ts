import { describe, expect, it } from 'vitest'
import { createArtifacts } from '../../src/store/artifacts.ts'
import type { Item, Table } from '../../src/store/table.ts'
import { itemsOf, losingResponses, recordingPuts, useDynamoTable } from './dynamo.ts'
import { EXPIRES_AT, random } from './records.ts'

const table = useDynamoTable()
const lists = createArtifacts(table, random)
const kept = { expiresAt: EXPIRES_AT }

/** 1000 of them have 10 partitions; what stands at an index says so. */
const orders = (count: number) => Array.from({ length: count }, (_, index) => ({ orderNumber: `A-${index}` }))

async function save(items: readonly unknown[], on = lists): Promise<string> {
  const id = random()
  await on.finish(id, await on.writeItems(id, items, kept), EXPIRES_AT)
  return id
}

async function read(id: string, from: number, limit: number): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of lists.readItems(id, from, limit)) items.push(item)
  return items
}

describe('N42 a list', () => {
  it('comes back whole, in order, and in any part', async () => {
    const id = await save(orders(250))
    expect(await lists.read(id)).toEqual({ id, size: 250, expiresAt: EXPIRES_AT })
    expect(await read(id, 0, 250)).toEqual(orders(250))
    for (const [from, limit] of [
      [0, 1],
      [99, 2],
      [100, 100],
      [150, 100],
      [249, 1],
      [250, 0],
    ] as const)
      expect(await read(id, from, limit)).toEqual(orders(250).slice(from, from + limit))
    expect(await lists.readItem(id, 130)).toEqual({ orderNumber: 'A-130' })
  })

  it('has a hundred items to a partition, and all that is written of it ends with it', async () => {
    const written: Item[] = []
    const id = await save(
      [...orders(250), 'x'.repeat(690_000)],
      createArtifacts(recordingPuts(table, written), random),
    )
    const own = (await Promise.all([0, 1, 2, 3].map((part) => itemsOf(table, `ARTIFACT#${id}#${part}`)))).map(
      (items) => items.length,
    )
    expect(own).toEqual([100, 100, 51, 0])
    expect(written).toHaveLength(251 + 6 + 1)
    expect(written.every(({ expiresAt }) => expiresAt === EXPIRES_AT)).toBe(true)
    expect(written.at(-1), 'its head, last').toMatchObject({ pk: `ARTIFACT#${id}`, sk: 'HEAD', size: 251 })
  })

  it('may have items of more than 400 KB, and pages of more than 1 MB, among small ones', async () => {
    const items = Array.from({ length: 12 }, (_, index) =>
      index % 4 === 1 ? { text: '€'.repeat(200_000), index } : index % 2 === 0 ? 'y'.repeat(290_000) : index,
    )
    const back = await read(await save(items), 0, 12)
    expect(back.map((item, index) => JSON.stringify(item) === JSON.stringify(items[index]))).toEqual(
      Array(12).fill(true),
    )
  })

  it.each([
    ['nothing', []],
    ['null, lists and empty texts', [null, [], '', false, 0, [[null]]]],
  ])('may hold %s', async (_, items) => {
    expect(await read(await save(items), 0, items.length)).toEqual(items)
  })

  it('is written as it comes: what waits is bounded', async () => {
    let ahead = 0
    let most = 0
    const slow: Table = {
      ...table,
      async put() {
        await new Promise((resolve) => setImmediate(resolve))
        ahead -= 1
        return true
      },
    }
    function* stream() {
      for (let index = 0; index < 1_000; index += 1) {
        ahead += 1
        most = Math.max(most, ahead)
        yield index
      }
    }
    expect(await createArtifacts(slow, random).writeItems(random(), stream(), kept)).toBe(1_000)
    expect(most).toBe(33)
  })

  it('is not there while it is being written, or when its writer died', async () => {
    const id = random()
    await lists.writeItems(id, orders(120), kept)
    expect(await lists.read(id)).toBeUndefined()
    expect(await lists.readItem(id, 119), 'its own writers see it').toEqual({ orderNumber: 'A-119' })
    expect(await lists.readItem(id, 120)).toBeUndefined()
  })

  it('that has lost an item is an error that names it, not a shorter list', async () => {
    const id = random()
    for (const index of [0, 2]) await lists.writeItem(id, index, index, EXPIRES_AT)
    await lists.finish(id, 3, EXPIRES_AT)
    await expect(read(id, 0, 3)).rejects.toThrow(`The table lost item 1 of the list ${id}`)
    await expect(read(id, 2, 2)).rejects.toThrow(`The table lost item 3 of the list ${id}`)
  })
})

describe('N42 a list whose writes are repeated', () => {
  it('is the same when every response is lost', async () => {
    const items = [...orders(110), 'x'.repeat(700_000)]
    const id = await save(items, createArtifacts(losingResponses(table), random))
    expect(await read(id, 0, 111)).toEqual(items)
  })

  it('keeps the item that was written first', async () => {
    const id = random()
    for (const value of ['first', 'second']) await lists.writeItem(id, 7, value, EXPIRES_AT)
    expect(await lists.readItem(id, 7)).toBe('first')
  })

  it('keeps one of several large items that are written at once, for all readers, and never a mixture', async () => {
    const id = random()
    const values = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(700_000))
    await Promise.all(values.map((value) => lists.writeItem(id, 0, value, EXPIRES_AT)))
    await lists.finish(id, 1, EXPIRES_AT)
    const [won] = await read(id, 0, 1)
    expect(values.some((value) => value === won)).toBe(true)
    expect((await lists.readItem(id, 0)) === won).toBe(true)
  })

  it('keeps the size that was written first', async () => {
    const id = random()
    await Promise.all([1, 1, 1].map((size) => lists.finish(id, size, EXPIRES_AT)))
    await lists.finish(id, 2, EXPIRES_AT)
    expect(await lists.read(id)).toEqual({ id, size: 1, expiresAt: EXPIRES_AT })
  })
})

describe('N42 what a list refuses', () => {
  const heard: Item[] = []
  const deaf = createArtifacts({ ...table, put: async (item) => heard.push(item) > 0 }, random)

  it.each([
    ['a Date', { at: new Date(0) }, 'Item 40 of the list has a Date at $.at, which JSON cannot hold'],
    ['undefined', undefined, 'Item 40 of the list is undefined, which JSON cannot hold'],
    ['NaN', [Number.NaN], 'Item 40 of the list has NaN at $[0], which JSON cannot hold'],
    [
      'more than 4 MB',
      'x'.repeat(4_000_000),
      'Item 40 of the list is 4000002 bytes of JSON; an item is at most 4000000',
    ],
  ])('is %s, by its index; what was being written ends', async (_, value, message) => {
    const id = random()
    await expect(lists.writeItem(id, 40, value, EXPIRES_AT)).rejects.toThrow(message)
    expect(await itemsOf(table, `ARTIFACT#${id}#0`)).toEqual([])
    const written = lists.writeItems(id, [...orders(40), value, 'after'], kept)
    await expect(written).rejects.toMatchObject({
      name: 'Internal',
      message: expect.stringContaining(message),
    })
    expect(await itemsOf(table, `ARTIFACT#${id}#0`)).toHaveLength(40)
    expect(await lists.read(id)).toBeUndefined()
  })

  it('is more than 100,000 items: before the first is written, where the number is known', async () => {
    const message = 'The list has more than 100000 items; save it as several lists'
    heard.length = 0
    await expect(deaf.writeItems('a', Array(100_001).fill(1), kept)).rejects.toThrow(message)
    await expect(deaf.writeItem('a', 100_000, 1, EXPIRES_AT)).rejects.toThrow(message)
    await expect(deaf.finish('a', 100_001, EXPIRES_AT)).rejects.toThrow(message)
    expect(heard).toEqual([])
    await deaf.finish('a', 100_000, EXPIRES_AT)
  })

  it('is to be written on when the signal is aborted, or its source or the table fails', async () => {
    const stop = new AbortController()
    function* stopping() {
      yield 1
      stop.abort(new Error('Stopped'))
      yield 2
    }
    await expect(lists.writeItems(random(), stopping(), { ...kept, signal: stop.signal })).rejects.toThrow(
      'Stopped',
    )
    function* broken() {
      yield 1
      throw new Error('The source is broken')
    }
    await expect(lists.writeItems(random(), broken(), kept)).rejects.toThrow('The source is broken')
    const away = createArtifacts(
      { ...table, put: () => Promise.reject(new Error('The table is away')) },
      random,
    )
    await expect(away.writeItems(random(), orders(100), kept)).rejects.toThrow('The table is away')
  })
})
