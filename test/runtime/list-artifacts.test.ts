import type { ListArtifact } from 'turnwise'
import { describe, expect, it } from 'vitest'
import { createArtifacts, findList } from '../../src/runtime/list-artifacts.ts'
import { EXPIRES_AT, NOW } from '../store/records.ts'
import { createStage } from './stage.ts'

/** The lists of one call over a table in memory. */
function createCall() {
  const stage = createStage()
  const stop = new AbortController()
  const artifacts = createArtifacts(stage.ports, { expiresAt: EXPIRES_AT, signal: stop.signal })
  return { ...stage, artifacts, stop: () => stop.abort(new Error('Stopped')) }
}

async function all<E>(items: AsyncIterable<E>): Promise<E[]> {
  const read: E[] = []
  for await (const item of items) read.push(item)
  return read
}

/** As a model or a client might write it: of an id that nobody saved anything under. */
const unknown = { artifact: '0'.repeat(32), size: 3 } as ListArtifact<number>
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('N42 a list that a tool saves', () => {
  it('is a reference, under which another call reads it', async () => {
    const { artifacts, ports } = createCall()
    const list = await artifacts.saveList(numbers(205))
    expect(list).toEqual({ artifact: expect.stringMatching(/^[0-9a-f]{32}$/), size: 205 })
    const other = createArtifacts(ports, { expiresAt: EXPIRES_AT, signal: new AbortController().signal })
    expect(await all(other.readList(list))).toEqual(numbers(205))
    expect(await other.readItem(list, 204)).toBe(204)
  })

  it('may come as a stream, and be made of another list as that is read', async () => {
    const { artifacts } = createCall()
    async function* doubled(list: ListArtifact<number>) {
      for await (const each of artifacts.readList(list)) yield each * 2
    }
    const list = await artifacts.saveList(doubled(await artifacts.saveList(new Set([1, 2, 3]))))
    expect(await all(artifacts.readList(list))).toEqual([2, 4, 6])
  })

  it('can be read many times, in part, and by several at once', async () => {
    const { artifacts } = createCall()
    const list = artifacts.readList(await artifacts.saveList(numbers(150)))
    for await (const each of list) if (each === 120) break
    expect(await Promise.all([all(list), all(list)])).toEqual([numbers(150), numbers(150)])
  })

  it('is another list for each saving', async () => {
    const { artifacts } = createCall()
    const [a, b] = await Promise.all([artifacts.saveList([1]), artifacts.saveList([1])])
    expect(a.artifact).not.toBe(b.artifact)
  })

  it('has the size that was saved, whatever a reference says', async () => {
    const { artifacts } = createCall()
    const list = { ...(await artifacts.saveList([1, 2])), size: 1_000 }
    expect(await all(artifacts.readList(list))).toEqual([1, 2])
    await expect(artifacts.readItem(list, 2)).rejects.toThrow('The list has 2 items')
  })

  it('refuses what JSON cannot hold, by its index', async () => {
    const { artifacts } = createCall()
    await expect(artifacts.saveList([1, new Map()])).rejects.toMatchObject({
      name: 'Internal',
      message: expect.stringContaining('Item 1 of the list has a Map at $'),
    })
  })
})

describe('N42 a list that cannot be read', () => {
  it('is NotFound when there is none', async () => {
    const { artifacts } = createCall()
    const notFound = { name: 'NotFound', message: `No artifact has the id "${unknown.artifact}"` }
    await expect(all(artifacts.readList(unknown))).rejects.toMatchObject(notFound)
    await expect(artifacts.readItem(unknown, 0)).rejects.toMatchObject(notFound)
  })

  it('is NotFound once it has expired, although a part of it may still be there', async () => {
    const { artifacts, clock, ports } = createCall()
    const list = await artifacts.saveList([1])
    clock.advance(EXPIRES_AT * 1_000 - NOW - 1)
    expect(await artifacts.readItem(list, 0)).toBe(1)
    clock.advance(1)
    const notFound = {
      name: 'NotFound',
      message: `The artifact "${list.artifact}" expired at 2026-04-01T00:00:00.000Z`,
    }
    await expect(all(artifacts.readList(list))).rejects.toMatchObject(notFound)
    await expect(findList(ports, list.artifact)).rejects.toMatchObject(notFound)
  })

  it('is a fault of ours when its head is there and an item is not', async () => {
    const { artifacts, store } = createCall()
    const list = { ...unknown, artifact: 'a'.repeat(32) }
    await store.artifacts.finish(list.artifact, 1, EXPIRES_AT)
    const message = `The table lost item 0 of the list ${list.artifact}`
    await expect(artifacts.readItem(list, 0)).rejects.toThrow(message)
    await expect(all(artifacts.readList(list))).rejects.toThrow(message)
  })

  it.each([-1, 0.5, 3, Number.NaN])('is InvalidInput at the index %d, with its size', async (index) => {
    const { artifacts } = createCall()
    await expect(artifacts.readItem(await artifacts.saveList(['a', 'b', 'c']), index)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: `The list has 3 items, so it has no item ${index}; its indexes are 0 to 2`,
    })
  })

  it('is InvalidInput at any index when it is empty', async () => {
    const { artifacts } = createCall()
    await expect(artifacts.readItem(await artifacts.saveList([]), 0)).rejects.toThrow(
      'The list is empty, so it has no item 0',
    )
  })
})

describe('N42 a call that was stopped', () => {
  it('reads and saves nothing more, and what it was saving is never seen', async () => {
    const { artifacts, stop, table } = createCall()
    const list = await artifacts.saveList([1, 2, 3])
    const reading = artifacts.readList(list)[Symbol.asyncIterator]()
    expect(await reading.next()).toEqual({ done: false, value: 1 })
    const heads: string[] = []
    const put = table.put
    table.put = (item, condition) => {
      if (item.sk === 'HEAD') heads.push(item.pk)
      return put(item, condition)
    }
    const saving = artifacts.saveList([1])
    stop()
    await expect(saving).rejects.toThrow('Stopped')
    await expect(reading.next()).rejects.toThrow('Stopped')
    await expect(artifacts.readItem(list, 0)).rejects.toThrow('Stopped')
    await expect(artifacts.saveList([])).rejects.toThrow('Stopped')
    await expect(all(artifacts.readList(list))).rejects.toThrow('Stopped')
    expect(heads).toEqual([])
  })
})
