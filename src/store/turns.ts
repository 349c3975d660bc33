import * as z from 'zod'
import { toJsonText } from '../core/json-text.ts'
import { attemptsOf, readEntries } from './calls.ts'
import { turnKey } from './keys.ts'
import { Lease, type Run, type StepRecord, type Turn, TurnBody } from './records.ts'
import { readRun } from './runs.ts'
import { type Attributes, absent, all, any, atMost, equals, type Item, type Table } from './table.ts'
import { packText, unpackText } from './values.ts'

/** A run with its turns in order, or the steps of a doer. */
export interface RunHistory {
  readonly run: Run
  readonly turns: readonly Turn[]
  readonly steps: readonly StepRecord[]
}

/** Turns: a lease, then the commit under that lease, or cancel's tombstone in its place. */
export function createTurns(table: Table, random: () => string) {
  return {
    /** Everything of a run in key order, all pages. A chain of pages is no snapshot: see `settleClosedTurns`. */
    async history(runId: string): Promise<RunHistory | undefined> {
      const items: Item[] = []
      let after: string | undefined
      do {
        const page = await table.queryPage({
          pk: `RUN#${runId}`,
          from: 'RUN',
          to: 'T#~',
          consistent: true,
          ...(after !== undefined && { after }),
        })
        items.push(...page.items)
        after = page.after
      } while (after !== undefined)
      return readHistory(table, items)
    },

    /** One turn and its results; undefined when there is none. */
    async read(runId: string, number: number): Promise<Turn | undefined> {
      return readTurnByKey(table, runId, number)
    },

    /** Leases the turn, or takes it over from `from`, a lease that has run out. */
    async lease(run: Run, number: number, lease: Lease, from?: Lease): Promise<boolean> {
      const free = from
        ? all(equals('state', 'leased'), equals('owner', from.owner), atMost('until', lease.startedAt))
        : absent('pk')
      const mine = all(equals('state', 'leased'), equals('owner', lease.owner))
      const item = { ...turnKey(run.id, number), state: 'leased', ...lease, expiresAt: run.expiresAt }
      return table.put(item, any(free, mine))
    },

    /** Commits the turn under the lease's owner. False when the lease has passed to another or the run was cancelled. */
    async commit(run: Run, number: number, owner: string, body: TurnBody): Promise<boolean> {
      const packed = await packText(table, toJsonText(body, 'The turn'), {
        nonce: random(),
        expiresAt: run.expiresAt,
      })
      const written = await table.update(
        turnKey(run.id, number),
        { set: { state: 'committed', body: packed } },
        equals('owner', owner),
      )
      return written !== undefined
    },

    /** The first turn of a run that a tool is asked for directly: committed as it is made. */
    async commitFirst(runId: string, body: TurnBody, expiresAt: number): Promise<void> {
      const packed = await packText(table, toJsonText(body, 'The turn'), { nonce: random(), expiresAt })
      await table.put(
        { ...turnKey(runId, 1), state: 'committed', owner: body.requestId, body: packed, expiresAt },
        absent('pk'),
      )
    },

    /** A failure report says that the invocation behind this lease is gone. */
    async endLease(runId: string, number: number, requestId: string): Promise<void> {
      const change = { set: { until: 0 } }
      await table.update(
        turnKey(runId, number),
        change,
        all(equals('state', 'leased'), equals('requestId', requestId)),
      )
    },

    /** Cancel: puts a tombstone where the next turn would be. False when that turn has been committed meanwhile. */
    async entomb(run: Run, number: number): Promise<boolean> {
      const item = { ...turnKey(run.id, number), state: 'tombstone', expiresAt: run.expiresAt }
      return table.put(item, any(absent('pk'), equals('state', 'leased'), equals('state', 'tombstone')))
    },
  }
}

async function readHistory(table: Table, items: readonly Item[]): Promise<RunHistory | undefined> {
  const runItem = items.find(({ sk }) => sk === 'RUN')
  if (!runItem) return undefined
  const own = new Map(
    items.flatMap(({ sk, text }) => (typeof text === 'string' ? [[sk, text] as const] : [])),
  )
  const bySk = new Map(items.map((item) => [item.sk, item]))
  const turnItems = items.filter(({ sk }) => /^T#\d{6}$/.test(sk))
  const stepItems = items.filter(({ sk, name }) => sk.startsWith('S#') && name !== undefined)
  const [run, turns, steps] = await Promise.all([
    readRun(table, runItem, own),
    Promise.all(turnItems.map((item) => readTurn(table, item, bySk.get(`${item.sk}#R`), own))),
    Promise.all(stepItems.map((item) => readStep(table, item, own))),
  ])
  return { run, turns: await settleClosedTurns(table, run.id, turns), steps }
}

async function readTurn(
  table: Table,
  item: Item,
  results: Item | undefined,
  own?: ReadonlyMap<string, string>,
): Promise<Turn> {
  const attributes: Attributes = item
  const number = Number(item.sk.slice('T#'.length))
  const state = z.enum(['leased', 'committed', 'tombstone']).parse(attributes.state)
  if (state === 'tombstone') return { state, number }
  if (state === 'leased') return { state, number, lease: Lease.parse(attributes) }
  const text = await unpackText(table, z.string().parse(attributes.body), { pk: item.pk })
  const entries = await readEntries(table, results ?? { pk: item.pk, sk: `${item.sk}#R` }, own)
  return { state, number, body: TurnBody.parse(JSON.parse(text)), results: entries }
}

/**
 * A turn with another after it is closed, whatever an earlier page said: one that looks open was read before its last
 * results came, so its items are read again.
 */
async function settleClosedTurns(
  table: Table,
  runId: string,
  turns: readonly Turn[],
): Promise<readonly Turn[]> {
  return Promise.all(
    turns.map(async (turn, index) => {
      if (index === turns.length - 1 || (turn.state === 'committed' && openCalls(turn).length === 0))
        return turn
      return (await readTurnByKey(table, runId, turn.number)) ?? turn
    }),
  )
}

async function readTurnByKey(table: Table, runId: string, number: number): Promise<Turn | undefined> {
  const key = turnKey(runId, number)
  const [item, results] = await Promise.all([
    table.get(key, { consistent: true }),
    table.get({ ...key, sk: `${key.sk}#R` }, { consistent: true }),
  ])
  return item && readTurn(table, item, results)
}

/** The places of a committed turn's calls that have no result yet. */
export function openCalls(turn: Turn & { state: 'committed' }): readonly number[] {
  if (turn.body.outcome.kind !== 'calls') return []
  return turn.body.outcome.calls.flatMap((call, index) =>
    call.answered === undefined && turn.results.entry(index).result === undefined ? [index] : [],
  )
}

const StepFacts = z.object({
  number: z.number(),
  name: z.string(),
  indexes: z.string().default('[]'),
  callable: z.string(),
  input: z.string(),
})

async function readStep(table: Table, item: Item, own: ReadonlyMap<string, string>): Promise<StepRecord> {
  const { input, indexes, ...facts } = StepFacts.parse(item)
  const entries = await readEntries(table, item, own)
  const attempts = Math.max(1, attemptsOf(entries))
  const { child, question, claim, result, late } = entries.entry(0)
  return {
    ...facts,
    indexes: z.array(z.number()).parse(JSON.parse(indexes)),
    input: JSON.parse(input),
    startedAt:
      child?.notedAt ?? question?.askedAt ?? claim?.claimedAt ?? result?.startedAt ?? late?.startedAt ?? 0,
    attempts,
    entry: entries.entry(attempts - 1),
    closed: entries.closed,
  }
}
