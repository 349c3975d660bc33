import { describe, expect, it } from 'vitest'
import {
  absent,
  all,
  any,
  atMost,
  type Condition,
  equals,
  type Item,
  members,
  present,
  type Table,
} from '../../src/store/table.ts'
import { createMemoryTable } from '../support/simulation/memory-table.ts'
import { itemsOf, useDynamoTable } from './dynamo.ts'

const inMemory = createMemoryTable({
  now: () => 0,
  staleMs: () => 0,
  indexLagMs: () => 0,
  pageSize: () => 3,
})

// What the simulation finds in the table in memory is true of DynamoDB because both keep these promises.
describe.each<[string, Table]>([
  ['over DynamoDB', useDynamoTable()],
  ['in memory', inMemory],
])('the table %s', (_, table) => {
  const read = (key: Pick<Item, 'pk' | 'sk'>) => table.get({ pk: key.pk, sk: key.sk }, { consistent: true })

  const full: Item = {
    pk: 'full',
    sk: 'a',
    text: 'héllo 😀 \u0000 "quoted"',
    empty: '',
    count: 3,
    time: 1_767_225_600_123,
    fraction: -0.5,
    flag: false,
    names: new Set(['a', 'b']),
    numbers: new Set([0, 10, 2]),
  }

  describe('keeps items', () => {
    it('and gives back every kind of attribute as it was put', async () => {
      await table.put(full)
      expect(await read(full)).toEqual(full)
    })

    it('and knows nothing of a key that nobody wrote', async () => {
      await table.put({ pk: 'alone', sk: 'a' })
      expect(await read({ pk: 'alone', sk: 'b' })).toBeUndefined()
      expect(await read({ pk: 'lonely', sk: 'a' })).toBeUndefined()
    })

    it('whole: a put leaves nothing of the item before', async () => {
      await table.put({ pk: 'replaced', sk: 'a', old: 1 })
      expect(await table.put({ pk: 'replaced', sk: 'a', fresh: 2 })).toBe(true)
      expect(await read({ pk: 'replaced', sk: 'a' })).toEqual({ pk: 'replaced', sk: 'a', fresh: 2 })
    })
  })

  describe('judges conditions by the item that stands there', () => {
    const standing = { text: 'a', count: 3, flag: true, names: new Set(['x', 'y']) }
    const cases: [string, Condition, boolean, boolean][] = [
      // What it says, whether it holds for `standing`, and whether it holds where nothing stands.
      ['absent pk', absent('pk'), false, true],
      ['absent text', absent('text'), false, true],
      ['absent other', absent('other'), true, true],
      ['present pk', present('pk'), true, false],
      ['present other', present('other'), false, false],
      ['equals the text', equals('text', 'a'), true, false],
      ['equals another text', equals('text', 'b'), false, false],
      ['equals the number', equals('count', 3), true, false],
      ['equals the number as text', equals('count', '3'), false, false],
      ['equals the flag', equals('flag', true), true, false],
      ['equals the other flag', equals('flag', false), false, false],
      ['equals what is absent', equals('other', 'a'), false, false],
      ['at most the same number', atMost('count', 3), true, false],
      ['at most a larger number', atMost('count', 4), true, false],
      ['at most a smaller number', atMost('count', 2), false, false],
      ['at most, of a text', atMost('text', 9), false, false],
      ['at most, of what is absent', atMost('other', 9), false, false],
      ['as many members', members('names', 2), true, false],
      ['more members', members('names', 1), false, false],
      ['fewer members', members('names', 3), false, false],
      ['no members, of a set', members('names', 0), false, true],
      ['no members, of what is absent', members('other', 0), true, true],
      ['all of two', all(equals('count', 3), absent('other')), true, false],
      ['all but one', all(equals('count', 3), present('other')), false, false],
      ['any of two', any(equals('count', 4), absent('other')), true, true],
      ['none of two', any(equals('count', 4), present('other')), false, false],
      ['any in all', all(any(absent('text'), equals('text', 'a')), any(atMost('count', 3))), true, false],
      ['all in any', any(all(absent('text'), absent('count')), all(equals('count', 4))), false, true],
    ]

    it.each(cases)('%s', async (name, condition, holdsForStanding, holdsForNothing) => {
      const at = (sk: string): Item => ({ pk: `condition ${name}`, sk })
      for (const sk of ['put', 'update']) await table.put({ ...at(sk), ...standing })
      const change = { set: { changed: true } }

      const answers = {
        put: await table.put({ ...at('put'), changed: true }, condition),
        update: await table.update(at('update'), change, condition),
        putNew: await table.put({ ...at('put new'), changed: true }, condition),
        updateNew: await table.update(at('update new'), change, condition),
      }
      expect(answers).toEqual({
        put: holdsForStanding,
        update: holdsForStanding ? { changed: true } : undefined,
        putNew: holdsForNothing,
        updateNew: holdsForNothing ? { changed: true } : undefined,
      })
      const unchanged = (sk: string) => ({ ...at(sk), ...standing })
      expect(await itemsOf(table, `condition ${name}`)).toEqual([
        holdsForStanding ? { ...at('put'), changed: true } : unchanged('put'),
        ...(holdsForNothing ? [{ ...at('put new'), changed: true }] : []),
        holdsForStanding ? { ...unchanged('update'), changed: true } : unchanged('update'),
        ...(holdsForNothing ? [{ ...at('update new'), changed: true }] : []),
      ])
    })

    it('and lets exactly one of many at once have what was free', async () => {
      const writers = Array.from({ length: 8 }, (_, writer) => writer)
      const puts = await Promise.all(
        writers.map((writer) => table.put({ pk: 'race', sk: 'put', writer }, absent('pk'))),
      )
      const updates = await Promise.all(
        writers.map((writer) =>
          table.update({ pk: 'race', sk: 'update' }, { set: { writer } }, absent('writer')),
        ),
      )
      expect(puts.filter(Boolean)).toHaveLength(1)
      expect((await read({ pk: 'race', sk: 'put' }))?.writer).toBe(puts.indexOf(true))
      const [granted] = updates.filter((answer) => answer !== undefined)
      expect(updates.filter((answer) => answer !== undefined)).toHaveLength(1)
      expect((await read({ pk: 'race', sk: 'update' }))?.writer).toBe(granted?.writer)
    })
  })

  describe('changes items', () => {
    it('that are not there by making them', async () => {
      const key = { pk: 'changed', sk: 'new' }
      expect(await table.update(key, { set: { a: 1 }, add: { done: new Set([0]) } })).toEqual({
        a: 1,
        done: new Set([0]),
      })
      expect(await read(key)).toEqual({ ...key, a: 1, done: new Set([0]) })
    })

    it('and answers the attributes that it touched as they are now, no others', async () => {
      const key = { pk: 'changed', sk: 'touched' }
      await table.put({ ...key, a: 1, b: 2, done: new Set([0, 1]), names: new Set(['x']) })
      const change = { set: { a: 'one' }, add: { done: new Set([1, 2]) } }
      expect(await table.update(key, change)).toEqual({ a: 'one', done: new Set([0, 1, 2]) })
      expect(await read(key)).toEqual({
        ...key,
        a: 'one',
        b: 2,
        done: new Set([0, 1, 2]),
        names: new Set(['x']),
      })
    })

    it('with the same end when an addition to a set is repeated', async () => {
      const key = { pk: 'changed', sk: 'repeated' }
      await table.update(key, { add: { names: new Set(['a']) } })
      expect(await table.update(key, { add: { names: new Set(['a']) } })).toEqual({ names: new Set(['a']) })
    })

    it('by taking members out of sets, which may lack them, and leaves no empty set', async () => {
      const key = { pk: 'changed', sk: 'taken' }
      await table.put({ ...key, names: new Set(['a', 'b']), numbers: new Set([1]) })
      const take = { names: new Set(['b', 'never']), numbers: new Set([1]), other: new Set(['a']) }
      expect(await table.update(key, { set: { c: 3 }, take })).toEqual({ c: 3, names: new Set(['a']) })
      expect(await read(key)).toEqual({ ...key, c: 3, names: new Set(['a']) })
      expect(await table.update(key, { take })).toEqual({ names: new Set(['a']) })
    })

    it('by removing attributes, which may be absent', async () => {
      const key = { pk: 'changed', sk: 'removed' }
      await table.put({ ...key, a: 1, b: 2 })
      expect(await table.update(key, { set: { c: 3 }, remove: ['a', 'never'] })).toEqual({ c: 3 })
      expect(await read(key)).toEqual({ ...key, b: 2, c: 3 })
    })

    it('whatever their attributes are called', async () => {
      const key = { pk: 'changed', sk: 'reserved' }
      await table.update(key, { set: { name: 'n', number: 1, 'a.b': 2, '#': 3, status: 's' } })
      expect(await table.update(key, { set: { index: 0 } }, equals('a.b', 2))).toEqual({ index: 0 })
    })
  })

  describe('queries', () => {
    it('one partition, from one key to another, both included, in the order of keys', async () => {
      for (const sk of ['T#000010', 'S#1', 'T#000009#R', 'T#000009', 'RUN', 'U'])
        await table.put({ pk: 'range', sk })
      await table.put({ pk: 'range 2', sk: 'T#000001' })
      const { items } = await table.queryPage({ pk: 'range', from: 'S#1', to: 'T#000009', consistent: true })
      expect(items.map(({ sk }) => sk)).toEqual(['S#1', 'T#000009'])
      expect((await itemsOf(table, 'range')).map(({ sk }) => sk)).toEqual([
        'RUN',
        'S#1',
        'T#000009',
        'T#000009#R',
        'T#000010',
        'U',
      ])
    })

    it('nothing where nothing is', async () => {
      expect(await table.queryPage({ pk: 'nothing', from: 'a', to: 'z', consistent: true })).toEqual({
        items: [],
      })
    })

    it('page after page: each begins after the key that the one before names', async () => {
      // Three of these pass the 1 MB that a page of DynamoDB's holds.
      const text = 'x'.repeat(350_000)
      const sks = Array.from({ length: 6 }, (_, number) => `T#${number}`)
      for (const sk of sks) await table.put({ pk: 'pages', sk, text })
      const query = { pk: 'pages', from: 'T#1', to: 'T#4', consistent: true }
      const first = await table.queryPage(query)
      expect(first.items.length).toBeGreaterThan(0)
      expect(first.items.length).toBeLessThan(4)
      expect(first.after).toBe(first.items.at(-1)?.sk)
      const second = await table.queryPage({ ...query, after: 'T#2' })
      expect(second.items[0]?.sk).toBe('T#3')
      expect((await itemsOf(table, 'pages')).map((item) => [item.sk, item.text === text])).toEqual(
        sks.map((sk) => [sk, true]),
      )
    })
  })

  describe('finds runs that are due', () => {
    const due = async (query: Parameters<Table['queryDue']>[0]) =>
      (await table.queryDue(query)).map(({ pk, kind, agent, lookAt }) => ({ pk, kind, agent, lookAt }))

    it('of one shard, oldest first, up to and with the time, at most so many', async () => {
      const open = (name: string, lookAt: number, openShard = 'OPEN#0') =>
        table.put({ pk: `RUN#${name}`, sk: 'RUN', kind: 'thinker', agent: name, openShard, lookAt })
      await open('late', 300)
      await open('early', 100)
      await open('middle', 200)
      await open('future', 301)
      await open('elsewhere', 100, 'OPEN#1')
      const found = (agent: string, lookAt: number) => ({
        pk: `RUN#${agent}`,
        kind: 'thinker',
        agent,
        lookAt,
      })
      const all = [found('early', 100), found('middle', 200), found('late', 300)]
      expect(await due({ shard: 'OPEN#0', dueAt: 300, limit: 10 })).toEqual(all)
      expect(await due({ shard: 'OPEN#0', dueAt: 300, limit: 2 })).toEqual(all.slice(0, 2))
      expect(await due({ shard: 'OPEN#2', dueAt: 300, limit: 2 })).toEqual([])
    })

    it('no longer when they have left the index, and later when they were moved', async () => {
      const key = (name: string) => ({ pk: `RUN#${name}`, sk: 'RUN' })
      const open = { kind: 'doer', agent: 'a', openShard: 'OPEN#3', lookAt: 100 }
      for (const name of ['gone', 'moved', 'stays']) await table.put({ ...key(name), ...open })
      await table.update(key('gone'), { set: { told: true }, remove: ['openShard', 'lookAt'] })
      await table.update(key('moved'), { set: { lookAt: 200 } })
      const pks = async (dueAt: number) =>
        (await due({ shard: 'OPEN#3', dueAt, limit: 10 })).map(({ pk }) => pk)
      expect(await pks(199)).toEqual(['RUN#stays'])
      expect(await pks(200)).toEqual(['RUN#stays', 'RUN#moved'])
    })
  })
})
