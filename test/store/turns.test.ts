import { describe, expect, it } from 'vitest'
import { turnCall, turnKey } from '../../src/store/keys.ts'
import type { Run } from '../../src/store/records.ts'
import { createStore } from '../../src/store/store.ts'
import type { Table } from '../../src/store/table.ts'
import { openCalls } from '../../src/store/turns.ts'
import { itemsOf, losingResponses, useDynamoTable } from './dynamo.ts'
import {
  answerOf,
  askedCall,
  callsOf,
  EXPIRES_AT,
  leaseOf,
  NOW,
  newRun,
  random,
  resultOf,
  runningRun,
} from './records.ts'

const table = useDynamoTable()
const store = createStore(table, random)
const { turns } = store
const unlucky = createStore(losingResponses(table), random).turns

const newParent = (): Run => runningRun(random())

describe('leasing a turn', () => {
  it('is granted while nobody has it', async () => {
    const run = newParent()
    expect(await turns.lease(run, 1, leaseOf('a'))).toBe(true)
    expect(await turns.read(run.id, 1)).toEqual({ state: 'leased', number: 1, lease: leaseOf('a') })
    expect(await turns.lease(run, 1, leaseOf('b'))).toBe(false)
  })

  it('finds its own write again', async () => {
    const run = newParent()
    expect(await unlucky.lease(run, 1, leaseOf('a'))).toBe(true)
  })

  it('is one worker’s when two try at once', async () => {
    const run = newParent()
    const granted = await Promise.all(['a', 'b'].map((owner) => turns.lease(run, 1, leaseOf(owner))))
    expect(granted.toSorted()).toEqual([false, true])
  })

  it('takes over the lease that was seen, by one worker, and only when it has run out', async () => {
    const run = newParent()
    const first = leaseOf('first', { until: NOW + 10 })
    await turns.lease(run, 1, first)
    expect(await turns.lease(run, 1, leaseOf('early', { startedAt: NOW + 9 }), first)).toBe(false)
    const granted = await Promise.all(
      ['a', 'b'].map((owner) => turns.lease(run, 1, leaseOf(owner, { startedAt: NOW + 10 }), first)),
    )
    expect(granted.toSorted()).toEqual([false, true])
  })

  it('is free at once when a report ended the lease of that request, and of no other', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    await turns.endLease(run.id, 1, 'request of b')
    expect(await turns.lease(run, 1, leaseOf('b'), leaseOf('a'))).toBe(false)
    await turns.endLease(run.id, 1, 'request of a')
    expect(await turns.lease(run, 1, leaseOf('b'), leaseOf('a', { until: 0 }))).toBe(true)
  })

  it('is refused where the turn was committed', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    await turns.commit(run, 1, 'a', answerOf(1))
    expect(await turns.lease(run, 1, leaseOf('a'))).toBe(false)
    expect(await turns.lease(run, 1, leaseOf('b', { startedAt: NOW * 2 }), leaseOf('a'))).toBe(false)
  })
})

describe('committing a turn', () => {
  it('is granted to the lease’s owner, also as a repeat of its own write', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    expect(await unlucky.commit(run, 1, 'a', answerOf({ text: 'hello' }))).toBe(true)
    expect(await turns.read(run.id, 1)).toMatchObject({
      state: 'committed',
      body: answerOf({ text: 'hello' }),
    })
  })

  it('is refused to whoever lost the lease, and where none was', async () => {
    const run = newParent()
    expect(await turns.commit(run, 1, 'a', answerOf(1))).toBe(false)
    await turns.lease(run, 1, leaseOf('a', { until: NOW }))
    await turns.lease(run, 1, leaseOf('b'), leaseOf('a', { until: NOW }))
    expect(await turns.commit(run, 1, 'a', answerOf(1))).toBe(false)
    expect(await turns.commit(run, 1, 'b', answerOf(2))).toBe(true)
  })

  it('keeps a turn of 1 MB', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    const text = 'é'.repeat(500_000)
    await turns.commit(run, 1, 'a', answerOf({ text }))
    const turn = await turns.read(run.id, 1)
    expect(turn?.state === 'committed' && turn.body.outcome).toEqual({
      kind: 'answer',
      text: 'done',
      value: { text },
    })
    const items = await itemsOf(table, `RUN#${run.id}`)
    expect(items.map(({ expiresAt }) => expiresAt)).toEqual([EXPIRES_AT])
  })

  it('of a tool’s own run is done once', async () => {
    const run = newParent()
    await unlucky.commitFirst(run.id, callsOf(askedCall()), EXPIRES_AT)
    await turns.commitFirst(run.id, callsOf(askedCall({ name: 'other' })), EXPIRES_AT)
    expect(await turns.read(run.id, 1)).toMatchObject({ body: callsOf(askedCall()) })
  })
})

describe('cancel’s tombstone', () => {
  it('refuses the commit of the turn in whose place it stands', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    expect(await unlucky.entomb(run, 1)).toBe(true)
    expect(await turns.commit(run, 1, 'a', answerOf(1))).toBe(false)
    expect(await turns.read(run.id, 1)).toEqual({ state: 'tombstone', number: 1 })
  })

  it('refuses a lease, also to who held one', async () => {
    const run = newParent()
    await turns.entomb(run, 1)
    expect(await turns.lease(run, 1, leaseOf('a'))).toBe(false)
    expect(await turns.lease(run, 1, leaseOf('a'), leaseOf('b', { until: 0 }))).toBe(false)
  })

  it('is refused where the turn was committed', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    await turns.commit(run, 1, 'a', answerOf(1))
    expect(await turns.entomb(run, 1)).toBe(false)
  })

  it('or the commit wins when both come at once', async () => {
    const run = newParent()
    await turns.lease(run, 1, leaseOf('a'))
    const [committed, entombed] = await Promise.all([
      turns.commit(run, 1, 'a', answerOf(1)),
      turns.entomb(run, 1),
    ])
    expect(committed).toBe(!entombed)
    expect((await turns.read(run.id, 1))?.state).toBe(committed ? 'committed' : 'tombstone')
  })
})

describe('the history of a run', () => {
  const commitTurn = async (
    run: Run,
    number: number,
    body = callsOf(askedCall({ id: `call_${number}` })),
  ) => {
    await turns.lease(run, number, leaseOf('a'))
    await turns.commit(run, number, 'a', body)
  }
  const recordCall = (run: Run, number: number, value: unknown) =>
    store.calls.record(
      { ...turnCall(run.id, number, 0), expected: 1, expiresAt: EXPIRES_AT },
      resultOf(value),
      'a',
      { kind: 'open' },
    )
  const newFamily = async () => {
    const run = newParent()
    await store.runs.create(newRun(run.id))
    return run
  }

  it('is none where no run is', async () => {
    expect(await turns.history('nobody')).toBeUndefined()
  })

  it('has its turns in the order of their numbers: 10 comes after 9', async () => {
    const run = await newFamily()
    for (const number of [10, 2, 9, 1]) await commitTurn(run, number)
    expect((await turns.history(run.id))?.turns.map(({ number }) => number)).toEqual([1, 2, 9, 10])
  })

  it('is read to its last page, with inline, own and chunked results', async () => {
    const run = await newFamily()
    const sizes = [10, 290_000, 290_000, 290_000, 310_000]
    for (const [index, size] of sizes.entries()) {
      await commitTurn(run, index + 1)
      await recordCall(run, index + 1, 'x'.repeat(size))
    }
    await commitTurn(run, 6, answerOf('y'.repeat(280_000)))
    const pages = await countPages(run)
    const history = await turns.history(run.id)
    expect(pages).toBeGreaterThan(1)
    const lengths = history?.turns.map((turn) => {
      const result = turn.state === 'committed' ? turn.results.entry(0).result : undefined
      return result?.ok ? String(result.value).length : undefined
    })
    expect(lengths).toEqual([...sizes, undefined])
  })

  it('reads a large input with the run, without another request', async () => {
    const run = newParent()
    await store.runs.create(newRun(run.id, { input: 'x'.repeat(100_000) }))
    const gets: unknown[] = []
    const counting: Table = {
      ...table,
      get(...query) {
        gets.push(query)
        return table.get(...query)
      },
    }
    const history = await createStore(counting, random).turns.history(run.id)
    expect(history?.run.input === 'x'.repeat(100_000)).toBe(true)
    expect(gets).toEqual([])
  })

  it('reads a turn again that looks open although another follows: its page came too early', async () => {
    const run = await newFamily()
    await commitTurn(run, 1)
    // Between the first page, which ends after turn 1, and the second, the turn is answered and another begun.
    const hurried = betweenPages(`T#000001`, async () => {
      await recordCall(run, 1, 'answer')
      await turns.lease(run, 2, leaseOf('b'))
    })
    const history = await createStore(hurried, random).turns.history(run.id)
    expect(history?.turns.map(({ state }) => state)).toEqual(['committed', 'leased'])
    const [first] = history?.turns ?? []
    expect(first?.state === 'committed' && openCalls(first)).toEqual([])
    expect(first?.state === 'committed' && first.results.entry(0).result).toEqual(resultOf('answer'))
  })

  it('reads a turn again that was leased when its page came, and committed when the next one came', async () => {
    const run = await newFamily()
    await turns.lease(run, 1, leaseOf('a'))
    const hurried = betweenPages(`T#000001`, async () => {
      await turns.commit(run, 1, 'a', callsOf(askedCall()))
      await recordCall(run, 1, 'answer')
      await turns.lease(run, 2, leaseOf('b'))
    })
    const history = await createStore(hurried, random).turns.history(run.id)
    expect(history?.turns.map(({ state }) => state)).toEqual(['committed', 'leased'])
    const [first] = history?.turns ?? []
    expect(first?.state === 'committed' && first.results.entry(0).result).toEqual(resultOf('answer'))
  })

  it('has the steps of a doer, with the results that came', async () => {
    const run = await newFamily()
    const place = (number: number, name: string, ...indexes: number[]) => ({
      runId: run.id,
      sk: `S#000${number}#${name}`,
      entry: 0,
      expected: 1,
      expiresAt: EXPIRES_AT,
      step: { number, name, indexes, callable: 'order_status', input: { n: number } },
    })
    await store.calls.record(place(1, 'list'), resultOf('x'.repeat(5_000)), 'a', { kind: 'open' })
    await store.calls.noteChild(place(2, 'look up', 0), { runId: 'child', kind: 'thinker', notedAt: NOW + 7 })
    const facts = { callable: 'order_status', attempts: 1, closed: false }
    const history = await turns.history(run.id)
    expect(history?.steps).toEqual([
      {
        ...facts,
        number: 1,
        name: 'list',
        indexes: [],
        input: { n: 1 },
        startedAt: NOW,
        entry: { result: resultOf('x'.repeat(5_000)), claim: undefined, child: undefined },
      },
      {
        ...facts,
        number: 2,
        name: 'look up',
        indexes: [0],
        input: { n: 2 },
        startedAt: NOW + 7,
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: 'child', kind: 'thinker', notedAt: NOW + 7 },
        },
      },
    ])
    expect(history?.turns).toEqual([])
  })

  async function countPages(run: Run): Promise<number> {
    let pages = 0
    const counting: Table = {
      ...table,
      queryPage: (query) => {
        pages += 1
        return table.queryPage(query)
      },
    }
    await createStore(counting, random).turns.history(run.id)
    return pages
  }

  /** The first page ends after `last`, and `meanwhile` happens before the second. */
  const betweenPages = (last: string, meanwhile: () => Promise<void>): Table => ({
    ...table,
    async queryPage(query) {
      if (query.after === undefined) {
        const page = await table.queryPage({ ...query, to: last })
        return { ...page, after: last }
      }
      if (query.after === last) await meanwhile()
      return table.queryPage(query)
    },
  })
})

describe('the keys of turns', () => {
  it('have six digits, so that their order is that of the numbers', () => {
    expect([1, 10, 999_999].map((number) => turnKey('a', number).sk)).toEqual([
      'T#000001',
      'T#000010',
      'T#999999',
    ])
  })
})
