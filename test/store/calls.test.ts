import { describe, expect, it } from 'vitest'
import { type CallPlace, createCalls } from '../../src/store/calls.ts'
import { resultsKey, stepCall, turnCall } from '../../src/store/keys.ts'
import type { ChildNote } from '../../src/store/records.ts'
import { itemsOf, losingResponses, useDynamoTable } from './dynamo.ts'
import { claimOf, EXPIRES_AT, NOW, random, resultOf } from './records.ts'

const table = useDynamoTable()
const calls = createCalls(table, random)
const unlucky = createCalls(losingResponses(table), random)

const newPlace = (given: Partial<CallPlace> = {}): CallPlace => ({
  ...turnCall(random(), 1, 0),
  expected: 1,
  expiresAt: EXPIRES_AT,
  ...given,
})

/** Another call of the same turn. */
const besides = (place: CallPlace, entry: number): CallPlace => ({ ...place, entry })

const open = { kind: 'open' } as const
const claimed = { kind: 'claim' } as const

describe('claiming a call', () => {
  it('is granted while nobody has it, and says who has it', async () => {
    const place = newPlace()
    expect(await calls.claim(place, claimOf('a'))).toBe(true)
    expect((await calls.read(place)).entry(0)).toEqual({ claim: claimOf('a'), result: undefined })
  })

  it('is refused to another while one has it, alive or not', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('a', { deadAfter: 0 }))
    expect(await calls.claim(place, claimOf('b'))).toBe(false)
  })

  it('finds its own write again', async () => {
    const place = newPlace()
    expect(await unlucky.claim(place, claimOf('a'))).toBe(true)
    expect(await unlucky.claim(place, claimOf('b'), claimOf('a'))).toBe(true)
  })

  it('is one worker’s when two try at once', async () => {
    const place = newPlace()
    const granted = await Promise.all(['a', 'b'].map((owner) => calls.claim(place, claimOf(owner))))
    expect(granted.toSorted()).toEqual([false, true])
  })

  it('passes on from the claim that was seen to one worker, and from that claim alone', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('dead'))
    const granted = await Promise.all(
      ['a', 'b'].map((owner) => calls.claim(place, claimOf(owner), claimOf('dead'))),
    )
    expect(granted.toSorted()).toEqual([false, true])
    expect(await calls.claim(place, claimOf('c'), claimOf('dead'))).toBe(false)
  })

  it('is refused once there is a result', async () => {
    const place = newPlace()
    await calls.record(place, resultOf(1), 'a', open)
    expect(await calls.claim(place, claimOf('b'))).toBe(false)
  })

  it('is refused once the turn was closed', async () => {
    const place = newPlace()
    await calls.close(place, EXPIRES_AT)
    expect(await calls.claim(place, claimOf('a'))).toBe(false)
    expect(await calls.read(place)).toMatchObject({ closed: true })
  })

  it('says nothing about the other calls of the turn', async () => {
    const place = newPlace({ expected: 2 })
    await calls.claim(place, claimOf('a'))
    expect(await calls.claim(besides(place, 1), claimOf('b'))).toBe(true)
  })
})

describe('a report that the claim’s invocation is gone', () => {
  it('ends the claim of that request', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('a'))
    await calls.endClaim(place, 'request of a')
    expect((await calls.read(place)).entry(0).claim).toEqual(claimOf('a', { deadAfter: 0 }))
  })

  it('leaves the claim of another request', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('a'))
    await calls.endClaim(place, 'request of b')
    expect((await calls.read(place)).entry(0).claim).toEqual(claimOf('a'))
  })

  it('makes no item where no claim is', async () => {
    const place = newPlace()
    await calls.endClaim(place, 'request of a')
    expect(await table.get(resultsKey(place), { consistent: true })).toBeUndefined()
  })
})

describe('recording a result', () => {
  it('says with the last one that the turn is complete', async () => {
    const place = newPlace({ expected: 3 })
    const recorded = []
    for (const entry of [2, 0, 1])
      recorded.push(await calls.record(besides(place, entry), resultOf(entry), 'a', open))
    expect(recorded).toEqual([
      { kind: 'recorded', complete: false },
      { kind: 'recorded', complete: false },
      { kind: 'recorded', complete: true },
    ])
    const entries = await calls.read(place)
    expect([0, 1, 2].map((entry) => entries.entry(entry).result)).toEqual([0, 1, 2].map(resultOf))
  })

  it('has the turn complete once for all when its calls end at once', async () => {
    const place = newPlace({ expected: 8 })
    const recorded = await Promise.all(
      Array.from({ length: 8 }, (_, entry) =>
        calls.record(besides(place, entry), resultOf(entry), 'a', open),
      ),
    )
    expect(recorded.filter(({ complete }) => complete)).toHaveLength(1)
  })

  it('is granted once: the refused one is told what stands there', async () => {
    const place = newPlace()
    await calls.record(place, resultOf('first'), 'a', open)
    const refused = await calls.record(place, resultOf('second'), 'b', open)
    expect(refused).toMatchObject({ kind: 'refused', complete: true })
    expect(refused.kind === 'refused' && refused.entries.entry(0).result).toEqual(resultOf('first'))
  })

  it('is one worker’s when two try at once', async () => {
    const place = newPlace()
    const recorded = await Promise.all(
      ['a', 'b'].map((owner) => calls.record(place, resultOf(owner), owner, open)),
    )
    expect(recorded.map(({ kind }) => kind).toSorted()).toEqual(['recorded', 'refused'])
    const winner = recorded[0]?.kind === 'recorded' ? 'a' : 'b'
    expect((await calls.read(place)).entry(0).result).toEqual(resultOf(winner))
  })

  it.each([
    ['small', 'x'],
    ['large', 'x'.repeat(10_000)],
  ])('finds its own write of a %s result again', async (_, value) => {
    const place = newPlace()
    expect(await unlucky.record(place, resultOf(value), 'a', open)).toEqual({
      kind: 'recorded',
      complete: true,
    })
    expect((await calls.read(place)).entry(0).result).toEqual(resultOf(value))
  })

  it('is refused to a worker whose claim has passed to another', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('a'))
    await calls.claim(place, claimOf('b'), claimOf('a'))
    expect(await calls.record(place, resultOf('a'), 'a', claimed)).toMatchObject({
      kind: 'refused',
      complete: false,
    })
    expect(await calls.record(place, resultOf('b'), 'b', claimed)).toMatchObject({ kind: 'recorded' })
  })

  it('is refused once the turn was closed, also to the owner of a claim', async () => {
    const place = newPlace()
    await calls.claim(place, claimOf('a'))
    await calls.close(place, EXPIRES_AT)
    const refused = await calls.record(place, resultOf(1), 'a', claimed)
    expect(refused).toMatchObject({ kind: 'refused', complete: false, entries: { closed: true } })
  })

  describe('in place of one that will not come', () => {
    const abandoned = (claim: ReturnType<typeof claimOf> | undefined) =>
      ({ kind: 'abandoned', claim }) as const

    it('is granted while the dead claim is the one that was seen, or was ended since', async () => {
      const [seen, ended] = [newPlace(), newPlace()]
      for (const place of [seen, ended]) await calls.claim(place, claimOf('a'))
      await calls.endClaim(ended, 'request of a')
      for (const place of [seen, ended])
        expect(await calls.record(place, resultOf(1), 'b', abandoned(claimOf('a')))).toMatchObject({
          kind: 'recorded',
        })
    })

    it('is refused when another has claimed the call since', async () => {
      const place = newPlace()
      await calls.claim(place, claimOf('a'))
      await calls.claim(place, claimOf('b'), claimOf('a'))
      for (const claim of [claimOf('a'), undefined])
        expect(await calls.record(place, resultOf(1), 'c', abandoned(claim))).toMatchObject({
          kind: 'refused',
        })
    })

    it('is granted without a claim while there is none', async () => {
      expect(await calls.record(newPlace(), resultOf(1), 'a', abandoned(undefined))).toMatchObject({
        kind: 'recorded',
      })
    })
  })

  it('late changes nothing but to note that it came', async () => {
    const place = newPlace()
    await calls.record(place, resultOf('first'), 'a', open)
    await calls.recordLate(place, resultOf('late'))
    expect((await calls.read(place)).entry(0).result).toEqual(resultOf('first'))
    const item = await table.get(resultsKey(place), { consistent: true })
    expect(item).toMatchObject({ l0: JSON.stringify({ ok: true, startedAt: NOW, endedAt: NOW + 1 }) })
  })
})

describe('a result stands', () => {
  /** The forms of the results of a turn, by the size of each. */
  async function formsOf(place: CallPlace, sizes: readonly number[]) {
    const values = sizes.map((size, entry) => String(entry).repeat(size))
    await Promise.all(
      values.map((value, entry) => calls.record(besides(place, entry), resultOf(value), 'a', open)),
    )
    const entries = await calls.read(place)
    values.forEach((value, entry) => {
      const { result } = entries.entry(entry)
      expect(result?.ok && result.value === value).toBe(true)
    })
    const item = await table.get(resultsKey(place), { consistent: true })
    const attributes: Readonly<Record<string, unknown>> = item ?? {}
    return sizes.map(
      (_, entry) => /^=|^@.*"(item|chunks)"/.exec(String(attributes[`r${entry}`]))?.[1] ?? 'inline',
    )
  }

  it('inline while the results of its turn are 2 KB together, else in an item of its own, above that in chunks', async () => {
    // A result's text is its value with 72 bytes around it.
    expect(await formsOf(newPlace(), [2_048 - 72])).toEqual(['inline'])
    expect(await formsOf(newPlace(), [2_048 - 71])).toEqual(['item'])
    expect(await formsOf(newPlace({ expected: 8 }), [256 - 72, 256 - 71, 0, 0, 0, 0, 0, 0])).toEqual([
      'inline',
      'item',
      ...Array.from({ length: 6 }, () => 'inline'),
    ])
    expect(await formsOf(newPlace({ expected: 2 }), [200_000, 3_000_000])).toEqual(['item', 'chunks'])
  })

  it('in items that all have an end to their life', async () => {
    const place = newPlace({ expected: 2 })
    await calls.claim(place, claimOf('a'))
    await formsOf(place, [10, 5_000])
    const items = await itemsOf(table, `RUN#${place.runId}`)
    expect(items.map(({ sk, expiresAt }) => [sk.slice(0, 13), expiresAt])).toEqual([
      ['T#000001#R', EXPIRES_AT],
      ['T#000001#R#01', EXPIRES_AT],
    ])
  })

  it.each<[string, (place: CallPlace) => Promise<unknown>]>([
    ['a claim', (place) => calls.claim(place, claimOf('a'))],
    ['a close', (place) => calls.close(place, EXPIRES_AT)],
    ['a late result', (place) => calls.recordLate(place, resultOf(1))],
    ['the note of a child', (place) => calls.noteChild(place, childOf('child'))],
  ])('in an item that has an end to its life when %s makes it', async (_, write) => {
    const place = newPlace()
    await write(place)
    expect(await table.get(resultsKey(place), { consistent: true })).toMatchObject({ expiresAt: EXPIRES_AT })
  })
})

describe('a step of a doer', () => {
  const step = {
    name: 'look up',
    number: 3,
    indexes: [12],
    callable: 'helper',
    input: { a: 1 },
  }
  const newStep = () => newPlace({ ...stepCall(random(), step), step })

  it('is noted with its child once: a repeat does not move its start', async () => {
    const place = newStep()
    await calls.noteChild(place, childOf('child'))
    await calls.noteChild(place, childOf('another', NOW + 1))
    expect(await table.get(resultsKey(place), { consistent: true })).toEqual({
      ...resultsKey(place),
      name: 'look up',
      number: 3,
      indexes: '[12]',
      callable: 'helper',
      input: '{"a":1}',
      h0: 'child',
      h0k: 'thinker',
      h0s: NOW,
      expiresAt: EXPIRES_AT,
    })
  })

  it('keeps what it is when its result comes from who knows only its place', async () => {
    const place = newStep()
    await calls.noteChild(place, childOf('child'))
    const { step: _, ...bare } = place
    await calls.record(bare, resultOf(1), 'child', open)
    expect(await table.get(resultsKey(place), { consistent: true })).toMatchObject({
      name: 'look up',
      input: '{"a":1}',
    })
  })
})

const childOf = (runId: string, notedAt = NOW): ChildNote => ({ runId, kind: 'thinker', notedAt })
