import * as z from 'zod'
import { toJsonText } from '../core/json-text.ts'
import { OPEN_SHARDS, openShard, runKey, runTextKey } from './keys.ts'
import { FailureRecord, type Run, type RunEnding, RunFacts, type RunKind, Waiter } from './records.ts'
import {
  type Attributes,
  absent,
  all,
  any,
  atMost,
  equals,
  type Item,
  members,
  present,
  type Table,
} from './table.ts'
import { packText, unpackText } from './values.ts'

/** What a run is when it is made. */
export interface NewRun {
  readonly id: string
  readonly kind: RunKind
  readonly agent: string
  readonly input: unknown
  readonly inputHash: string
  readonly createdAt: number
  /** Seconds; the same for the whole family. */
  readonly expiresAt: number
  readonly lookAt: number
  readonly waiter?: Waiter
  readonly token?: string
  /** A child whose family was cancelled before it began. */
  readonly cancelled?: boolean
}

/** An open run that is due to be looked at. */
export interface DueRun {
  readonly id: string
  readonly kind: RunKind
  readonly agent: string
  readonly lookAt: number
}

/** A run's item is written often, and each write is charged by the whole of it: a larger input or answer gets an item of its own. */
const INLINE_BYTES = 4_096

/** Telling an end takes moments. */
const TOLD_WITHIN_MS = 55_000

export function createRuns(table: Table, random: () => string) {
  const read = async (runId: string): Promise<Run | undefined> => {
    const item = await table.get(runKey(runId), { consistent: true })
    return item && readRun(table, item)
  }

  const pack = (
    { id, expiresAt }: Pick<Run, 'id' | 'expiresAt'>,
    part: 'input' | 'outcome',
    text: string,
  ) => {
    const nonce = random()
    return packText(table, text, {
      nonce,
      expiresAt,
      own: { inlineBytes: INLINE_BYTES, key: runTextKey(id, part, nonce) },
    })
  }

  return {
    read,

    /** Makes the run unless it is there; answers false when it is (read it then), also for a repeat of the same call. */
    async create(run: NewRun): Promise<boolean> {
      const input = await pack(run, 'input', toJsonText(run.input, 'The input'))
      return table.put(
        {
          ...runKey(run.id),
          kind: run.kind,
          agent: run.agent,
          status: run.cancelled ? 'cancelled' : 'running',
          ...(run.cancelled && { endedAt: run.createdAt }),
          input,
          inputHash: run.inputHash,
          createdAt: run.createdAt,
          expiresAt: run.expiresAt,
          openShard: openShard(run.id),
          lookAt: run.lookAt,
          ...(run.waiter && { waiter: JSON.stringify(run.waiter) }),
          ...(run.token !== undefined && { tokens: new Set([run.token]) }),
        },
        absent('pk'),
      )
    },

    /** Moves a running run to its end. False when it had ended another way. `owner` finds its own write again; the sweep sees to it when the end is not told soon after. */
    async end(run: Run, ending: RunEnding, endedAt: number, owner: string): Promise<boolean> {
      const outcome = await pack(run, 'outcome', toJsonText(outcomeOf(ending), 'The answer'))
      const written = await table.update(
        runKey(run.id),
        {
          set: { status: ending.status, endedAt, outcome, endedBy: owner, lookAt: endedAt + TOLD_WITHIN_MS },
        },
        any(equals('status', 'running'), equals('endedBy', owner)),
      )
      return written !== undefined
    },

    /** Whoever waited for the run knows its end: it leaves the open index. False when a task token has come since `run` was read. */
    async markTold(run: Run): Promise<boolean> {
      const written = await table.update(
        runKey(run.id),
        { set: { told: true }, remove: ['openShard', 'lookAt'] },
        all(equals('status', run.status), members('tokens', run.tokens.size)),
      )
      return written !== undefined
    },

    /** A run keeps every task token that it was given and answers all. One whose end was told is open again, until `lookAt`, for this one to be told. */
    async addToken({ id }: Pick<Run, 'id'>, token: string, lookAt: number): Promise<void> {
      const add = { tokens: new Set([token]) }
      if (await table.update(runKey(id), { add }, all(present('pk'), absent('told')))) return
      await table.update(
        runKey(id),
        { add, set: { openShard: openShard(id), lookAt }, remove: ['told'] },
        present('told'),
      )
    },

    /**
     * Before the answer to a question of a doer is written: the sweep tells it from `lookAt` on, or sooner where it is to look sooner, unless it was
     * told by then. False where the run is over.
     */
    async noteAnswer({ id }: Pick<Run, 'id'>, question: string, lookAt: number): Promise<boolean> {
      const add = { untold: new Set([question]) }
      const running = equals('status', 'running')
      if (await table.update(runKey(id), { add }, all(running, atMost('lookAt', lookAt)))) return true
      return (await table.update(runKey(id), { set: { lookAt }, add }, running)) !== undefined
    },

    async answerTold(runId: string, question: string): Promise<void> {
      await table.update(runKey(runId), { take: { untold: new Set([question]) } }, present('untold'))
    },

    /** The sweep looks at the run at `lookAt` (milliseconds). */
    async lookAgain(run: Pick<DueRun, 'id'>, lookAt: number): Promise<void> {
      await table.update(runKey(run.id), { set: { lookAt } }, present('openShard'))
    },

    /** The same after a look, or `soon` where an answer is to be told; unless somebody has asked for another look since. */
    async lookedAt({ id, lookAt: seen }: DueRun, lookAt: number, soon: number): Promise<void> {
      const isUnmoved = all(present('openShard'), equals('lookAt', seen))
      if (await table.update(runKey(id), { set: { lookAt } }, all(isUnmoved, absent('untold')))) return
      await table.update(runKey(id), { set: { lookAt: soon } }, all(isUnmoved, present('untold')))
    },

    /** Open runs that are due, from an index that lags behind: each is to be looked at, not believed. */
    async due(dueAt: number, limit: number): Promise<readonly DueRun[]> {
      const shards = await Promise.all(
        Array.from({ length: OPEN_SHARDS }, (_, shard) =>
          table.queryDue({ shard: `OPEN#${shard}`, dueAt, limit }),
        ),
      )
      return shards.flat().map(readDue)
    },
  }
}

function outcomeOf(ending: RunEnding): unknown {
  switch (ending.status) {
    case 'completed':
      return { output: ending.output }
    case 'failed':
      return { error: ending.error }
    case 'exhausted':
    case 'cancelled':
      return {}
  }
}

const Status = z.enum(['running', 'completed', 'failed', 'exhausted', 'cancelled'])
const Outcome = z.object({ output: z.unknown().optional(), error: FailureRecord.optional() })

/** Reads a run's item. `own` has the texts of items of the run that a Query brought along, by sort key. */
export async function readRun(table: Table, item: Item, own?: ReadonlyMap<string, string>): Promise<Run> {
  const attributes: Attributes = item
  const text = (name: string) => z.string().parse(attributes[name])
  const parsedJson = async (name: string): Promise<unknown> =>
    attributes[name] === undefined
      ? {}
      : JSON.parse(await unpackText(table, text(name), { pk: item.pk, ...(own && { read: own }) }))
  const common = {
    ...RunFacts.parse(attributes),
    id: item.pk.slice('RUN#'.length),
    input: await parsedJson('input'),
    waiter: attributes.waiter === undefined ? undefined : Waiter.parse(JSON.parse(text('waiter'))),
    tokens: z.set(z.string()).default(new Set()).parse(attributes.tokens),
  }
  const status = Status.parse(attributes.status)
  if (status === 'running') return { ...common, status }
  const { output, error } = Outcome.parse(await parsedJson('outcome'))
  const endedAt = z.number().parse(attributes.endedAt)
  if (status === 'completed') return { ...common, status, output, endedAt }
  if (status === 'failed') return { ...common, status, error: FailureRecord.parse(error), endedAt }
  return { ...common, status, endedAt }
}

function readDue(item: Item): DueRun {
  const { kind, agent, lookAt } = RunFacts.pick({ kind: true, agent: true })
    .extend({ lookAt: z.number() })
    .parse(item)
  return { id: item.pk.slice('RUN#'.length), kind, agent, lookAt }
}
