import { describe, expect, it } from 'vitest'
import { openShard, runKey } from '../../src/store/keys.ts'
import type { Run, RunEnding, Waiter } from '../../src/store/records.ts'
import { createRuns, type NewRun } from '../../src/store/runs.ts'
import { itemsOf, losingResponses, useDynamoTable } from './dynamo.ts'
import { EXPIRES_AT, NOW, newRun, random, runningRun } from './records.ts'

const table = useDynamoTable()
const runs = createRuns(table, random)
const unlucky = createRuns(losingResponses(table), random)

async function create(given: Partial<NewRun> = {}): Promise<Run> {
  const id = random()
  expect(await runs.create(newRun(id, given))).toBe(true)
  return read(id)
}

async function read(id: string): Promise<Run> {
  const run = await runs.read(id)
  if (!run) throw new Error(`There is no run ${id}`)
  return run
}

describe('making a run', () => {
  it('keeps what it is', async () => {
    const waiter: Waiter = {
      runId: 'parent',
      sk: 'T#000001#R',
      entry: 1,
      expected: 2,
      thinker: 'parent_agent',
    }
    const run = await create({ waiter, token: 'token' })
    expect(run).toEqual({
      ...runningRun(run.id),
      waiter,
      tokens: new Set(['token']),
      lookAt: NOW + 55_000,
    })
  })

  it('is refused where a run is, and changes nothing of it', async () => {
    const run = await create()
    expect(await runs.create(newRun(run.id, { input: 'other', inputHash: 'other' }))).toBe(false)
    expect(await read(run.id)).toEqual(run)
  })

  it('answers false to the repeat of its own write: the run is there to be read', async () => {
    const id = random()
    expect(await unlucky.create(newRun(id))).toBe(false)
    expect(await read(id)).toEqual({ ...runningRun(id), lookAt: NOW + 55_000 })
  })

  it('is one maker’s when two try at once', async () => {
    const id = random()
    const made = await Promise.all(['a', 'b'].map((input) => runs.create(newRun(id, { input }))))
    expect(made.toSorted()).toEqual([false, true])
    expect((await read(id)).input).toBe(made[0] ? 'a' : 'b')
  })

  it('that was cancelled before it began makes it ended, and open until its end is told', async () => {
    const run = await create({ cancelled: true })
    expect(run).toMatchObject({ status: 'cancelled', endedAt: NOW, told: false })
    expect(await runs.due(NOW + 55_000, 100)).toContainEqual(expect.objectContaining({ id: run.id }))
    expect(await runs.end(run, { status: 'completed', output: 1 }, NOW, 'owner')).toBe(false)
    expect(await runs.markTold(run)).toBe(true)
  })

  it('takes an input of 3 MB', async () => {
    const input = { text: 'x'.repeat(3_000_000) }
    const run = await create({ input })
    expect((run.input as typeof input).text === input.text).toBe(true)
  })

  it('gives every item an end to its life', async () => {
    const run = await create({ input: 'x'.repeat(250_000) })
    await runs.end(run, { status: 'completed', output: 'y'.repeat(250_000) }, NOW, 'owner')
    const items = await itemsOf(table, `RUN#${run.id}`)
    expect(items.map(({ expiresAt }) => expiresAt)).toEqual(items.map(() => EXPIRES_AT))
  })
})

describe('ending a run', () => {
  it.each<RunEnding>([
    { status: 'completed', output: { text: 'done' } },
    { status: 'completed', output: null },
    { status: 'failed', error: { name: 'NotFound', message: 'No order "A-1"' } },
    { status: 'exhausted' },
    { status: 'cancelled' },
  ])('keeps how it ended: %j', async (ending) => {
    const run = await create()
    expect(await runs.end(run, ending, NOW + 5, 'owner')).toBe(true)
    expect(await read(run.id)).toEqual({ ...run, ...ending, endedAt: NOW + 5, lookAt: NOW + 5 + 55_000 })
  })

  it('is refused when it has ended another way', async () => {
    const run = await create()
    await runs.end(run, { status: 'cancelled' }, NOW, 'first')
    expect(await runs.end(run, { status: 'completed', output: 1 }, NOW + 1, 'second')).toBe(false)
    expect(await read(run.id)).toMatchObject({ status: 'cancelled', endedAt: NOW })
  })

  it('finds its own write again', async () => {
    const run = await create()
    expect(await unlucky.end(run, { status: 'completed', output: 1 }, NOW, 'owner')).toBe(true)
  })

  it('is one ender’s when two try at once', async () => {
    const run = await create()
    const outputs = ['a', 'b']
    const ended = await Promise.all(
      outputs.map((output) => runs.end(run, { status: 'completed', output }, NOW, output)),
    )
    expect(ended.toSorted()).toEqual([false, true])
    expect(await read(run.id)).toMatchObject({ output: outputs[ended.indexOf(true)] })
  })

  it('holds an input and an answer that would not fit into one item together', async () => {
    const input = 'x'.repeat(290_000)
    const output = 'y'.repeat(290_000)
    const run = await create({ input })
    expect(await runs.end(run, { status: 'completed', output }, NOW, 'owner')).toBe(true)
    const ended = await read(run.id)
    expect(ended.input === input && ended.status === 'completed' && ended.output === output).toBe(true)
  })
})

describe('O28 O29 values come back as JSON has them, whichever write kept them', () => {
  const value = {
    text: 'a\ud800',
    meta: { x: undefined },
    large: 1.23e40,
    small: 5e-324,
    most: Number.MAX_SAFE_INTEGER,
    '': [null, '', [], {}],
  }
  const kept = { ...value, meta: {} }

  it('put with the run, and updated with its end', async () => {
    const run = await create({ input: value })
    await runs.end(run, { status: 'completed', output: value }, NOW, 'owner')
    const { input, ...ended } = await read(run.id)
    expect(input).toStrictEqual(kept)
    expect(ended.status === 'completed' && ended.output).toStrictEqual(kept)
  })

  it('and what would shift or change is refused before anything is written', async () => {
    const id = random()
    await expect(runs.create(newRun(id, { input: { list: [1, undefined] } }))).rejects.toThrow(
      'The input has undefined at $.list[1]',
    )
    expect(await itemsOf(table, `RUN#${id}`)).toEqual([])
  })
})

describe('telling the end of a run', () => {
  it('takes it out of the open index for good', async () => {
    const run = await create()
    await runs.end(run, { status: 'exhausted' }, NOW, 'owner')
    const ended = await read(run.id)
    expect(await unlucky.markTold(ended)).toBe(true)
    await runs.lookAgain(run, NOW)
    const { lookAt, ...rest } = ended
    expect(await read(run.id)).toEqual({ ...rest, told: true })
    const due = await runs.due(NOW + 3_600_000, 100)
    expect(due.map(({ id }) => id)).not.toContain(run.id)
  })

  it.each([
    ['its first token', undefined, 'first'],
    ['another token', 'first', 'second'],
  ])('is refused while %s has come that was not told', async (_, token, late) => {
    const run = await create(token === undefined ? {} : { token })
    await runs.end(run, { status: 'exhausted' }, NOW, 'owner')
    const ended = await read(run.id)
    await runs.addToken(run, late, NOW)
    expect(await runs.markTold(ended)).toBe(false)
    const again = await read(run.id)
    expect(again).toMatchObject({ told: false, tokens: new Set([...ended.tokens, late]) })
    expect(await runs.markTold(again)).toBe(true)
  })

  it('is refused when the run is not what it was', async () => {
    const run = await create()
    await runs.end(run, { status: 'cancelled' }, NOW, 'owner')
    expect(await runs.markTold(run)).toBe(false)
  })
})

describe('adding a task token', () => {
  it('keeps all that were given, each once', async () => {
    const run = await create({ token: 'a' })
    for (const token of ['b', 'a', 'b']) await runs.addToken(run, token, NOW)
    expect((await read(run.id)).tokens).toEqual(new Set(['a', 'b']))
  })

  it('makes no run where there is none', async () => {
    await runs.addToken({ id: 'nobody' }, 'token', NOW)
    expect(await table.get(runKey('nobody'), { consistent: true })).toBeUndefined()
  })

  it('opens a run again whose end was told, so that this token is told, too', async () => {
    const run = await create()
    await runs.end(run, { status: 'exhausted' }, NOW, 'owner')
    await runs.markTold(await read(run.id))
    await runs.addToken(run, 'late', NOW - 1)
    expect(await read(run.id)).toMatchObject({ told: false, tokens: new Set(['late']) })
    expect((await runs.due(NOW, 100)).map(({ id }) => id)).toContain(run.id)
  })
})

describe('answers to the questions of a doer', () => {
  it('are on the run until they are told, and the sweep looks at it in time', async () => {
    const run = await create({ kind: 'doer' })
    await unlucky.noteAnswer(run, 'S#0001#may we', NOW + 7)
    await runs.noteAnswer(run, 'S#0002#how many', NOW + 8)
    const untold = async () => (await read(run.id)).untold
    // It looks when it was to look already.
    expect(await read(run.id)).toMatchObject({
      lookAt: NOW + 7,
      untold: new Set(['S#0001#may we', 'S#0002#how many']),
    })
    await unlucky.answerTold(run.id, 'S#0001#may we')
    expect(await untold()).toEqual(new Set(['S#0002#how many']))
    await runs.answerTold(run.id, 'S#0002#how many')
    expect(await untold()).toEqual(new Set())
  })

  it('are not noted on a run that is over', async () => {
    const run = await create({ kind: 'doer' })
    await runs.end(run, { status: 'cancelled' }, NOW, 'owner')
    expect(await runs.noteAnswer(run, 'S#0001#may we', NOW)).toBe(false)
    expect((await read(run.id)).untold).toEqual(new Set())
  })
})

describe('a look of the sweep', () => {
  it('moves the next one, unless somebody has asked for another since', async () => {
    const run = await create()
    const seen = { id: run.id, kind: 'doer', agent: 'a', lookAt: NOW + 55_000 } as const
    await runs.lookedAt(seen, NOW + 300_000, NOW)
    expect((await read(run.id)).lookAt).toBe(NOW + 300_000)
    await runs.lookAgain(run, NOW + 60_000)
    await runs.lookedAt({ ...seen, lookAt: NOW + 300_000 }, NOW + 600_000, NOW)
    expect((await read(run.id)).lookAt).toBe(NOW + 60_000)
  })

  it('comes soon again while an answer is to be told', async () => {
    const run = await create({ kind: 'doer' })
    const seen = { id: run.id, kind: 'doer', agent: 'a', lookAt: NOW + 55_000 } as const
    expect(await runs.noteAnswer(run, 'S#0001#may we', NOW + 60_000)).toBe(true)
    await runs.lookedAt(seen, NOW + 300_000, NOW + 110_000)
    expect((await read(run.id)).lookAt).toBe(NOW + 110_000)
    await runs.answerTold(run.id, 'S#0001#may we')
    await runs.lookedAt({ ...seen, lookAt: NOW + 110_000 }, NOW + 400_000, NOW + 200_000)
    expect((await read(run.id)).lookAt).toBe(NOW + 400_000)
  })
})

describe('the open index', () => {
  it('has an open run when it is due, and later when it is to be looked at later', async () => {
    const run = await create({ kind: 'doer', agent: 'report', lookAt: NOW - 1_000 })
    const found = { id: run.id, kind: 'doer', agent: 'report', lookAt: NOW - 1_000 }
    expect(await runs.due(NOW - 1_000, 100)).toEqual([found])
    expect(await runs.due(NOW - 1_001, 100)).toEqual([])
    await runs.lookAgain(run, NOW - 500)
    expect(await runs.due(NOW - 501, 100)).toEqual([])
    expect(await runs.due(NOW - 500, 100)).toEqual([{ ...found, lookAt: NOW - 500 }])
  })

  it('is not joined by a run that nobody made', async () => {
    await runs.lookAgain({ id: 'unmade' }, NOW)
    expect(await table.get(runKey('unmade'), { consistent: true })).toBeUndefined()
  })

  it('spreads runs over four shards', () => {
    const shards = Array.from({ length: 100 }, () => openShard(random()))
    expect(new Set(shards)).toEqual(new Set(['OPEN#0', 'OPEN#1', 'OPEN#2', 'OPEN#3']))
  })
})
