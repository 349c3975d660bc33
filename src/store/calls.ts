import * as z from 'zod'
import { toJsonText } from '../core/json-text.ts'
import { type CallAddress, entryNames, ownResultKey, resultsKey } from './keys.ts'
import {
  type CallEntries,
  CallResult,
  type ChildNote,
  type Claim,
  LateResult,
  type Question,
} from './records.ts'
import {
  type Attributes,
  absent,
  all,
  any,
  atMost,
  type Condition,
  equals,
  type Item,
  type Table,
} from './table.ts'
import { packText, unpackText } from './values.ts'

/** Where a call's result goes, and how many results its item waits for. */
export interface CallPlace extends CallAddress {
  readonly expected: number
  readonly expiresAt: number
  /** A doer's step says in its item what it is; a turn's calls are described by their turn. */
  readonly step?: {
    readonly name: string
    readonly number: number
    readonly indexes?: readonly number[] | undefined
    readonly callable: string
    readonly input: unknown
  }
}

/** `complete`: all results of the item are there. A refused write tells what stands there instead. */
export type Recorded =
  | { readonly kind: 'recorded'; readonly complete: boolean }
  | { readonly kind: 'refused'; readonly complete: boolean; readonly entries: CallEntries }

/** Results of one turn stay inline while together they are about this large: an update is charged by the whole item. */
const INLINE_BYTES = 2_048

/** Claims and results of calls: one conditional write each, and every one finds itself again when its response was lost. */
export function createCalls(table: Table, random: () => string) {
  const read = async (address: Pick<CallAddress, 'runId' | 'sk'>): Promise<CallEntries> => {
    const key = resultsKey(address)
    const item = await table.get(key, { consistent: true })
    return readEntries(table, item ?? key)
  }

  return {
    read,

    /**
     * Takes the call for `claim.owner`. Refused when it has a result or a live claim of another, or when cancel closed the item.
     * `from` is a claim that must be dead; it is passed on only while it is still that one.
     */
    async claim(place: CallPlace, claim: Claim, from?: Claim): Promise<boolean> {
      const names = entryNames(place.entry)
      const free = from
        ? all(equals(names.claim, from.owner), equals(names.claimDeadAfter, from.deadAfter))
        : absent(names.claim)
      const written = await table.update(
        resultsKey(place),
        {
          set: {
            [names.claim]: claim.owner,
            [names.claimRequest]: claim.requestId,
            [names.claimDeadAfter]: claim.deadAfter,
            [names.claimedAt]: claim.claimedAt,
            ...describe(place),
          },
        },
        all(absent(names.result), absent('closed'), any(free, equals(names.claim, claim.owner))),
      )
      return written !== undefined
    },

    /** A failure report says that the invocation behind this claim is gone: whoever comes next need not wait for `deadAfter`. */
    async endClaim(address: CallAddress, requestId: string): Promise<void> {
      const names = entryNames(address.entry)
      const change = { set: { [names.claimDeadAfter]: 0 } }
      await table.update(
        resultsKey(address),
        change,
        all(absent(names.result), equals(names.claimRequest, requestId)),
      )
    },

    /**
     * Writes the result of a call once. `holding` is what the call's entry must be for this writer: claimed by its owner, claimed by
     * a claim that is dead, or simply without a result.
     */
    async record(place: CallPlace, result: CallResult, owner: string, holding: Holding): Promise<Recorded> {
      const names = entryNames(place.entry)
      const text = toJsonText(result, 'The result')
      const packed = await packText(table, text, {
        nonce: random(),
        expiresAt: place.expiresAt,
        own: { inlineBytes: INLINE_BYTES / place.expected, key: ownResultKey(place, random()) },
      })
      const written = await table.update(
        resultsKey(place),
        {
          set: { [names.result]: packed, [names.resultOwner]: owner, ...describe(place) },
          add: { done: new Set([place.entry]) },
        },
        any(
          all(absent(names.result), absent('closed'), holds(place.entry, owner, holding)),
          equals(names.resultOwner, owner),
        ),
      )
      const isComplete = (done: unknown) => done instanceof Set && done.size >= place.expected
      if (written) return { kind: 'recorded', complete: isComplete(written.done) }
      const entries = await read(place)
      return { kind: 'refused', complete: isComplete(entries.done), entries }
    },

    /** What a worker wanted to say after its call had passed to another or was given up. It changes nothing. */
    async recordLate(place: CallPlace, result: CallResult): Promise<void> {
      const { ok, startedAt, endedAt } = result
      const late: LateResult = { ok, ...(!ok && { failure: result.failure.name }), startedAt, endedAt }
      await table.update(resultsKey(place), {
        set: { [entryNames(place.entry).late]: JSON.stringify(late), ...describe(place) },
      })
    },

    /** Whether one of these items was closed. */
    async isClosed(addresses: readonly Pick<CallAddress, 'runId' | 'sk'>[]): Promise<boolean> {
      const all = await Promise.all(
        addresses.map((address) => table.get(resultsKey(address), { consistent: true })),
      )
      return all.some((item: Attributes | undefined) => item?.closed === true)
    },

    /** Its run is over, or went on without it: no call of this item is claimed from now on, and none beneath it is begun. */
    async close(address: Pick<CallAddress, 'runId' | 'sk'>, expiresAt: number): Promise<void> {
      await table.update(resultsKey(address), { set: { closed: true, expiresAt } })
    },

    /** A doer's step that is a question; asked again, it keeps the token, too, and its deadline. */
    async noteQuestion(place: CallPlace, { askedAt, deadline, tokens }: Question): Promise<void> {
      const names = entryNames(place.entry)
      const key = resultsKey(place)
      const add = { [names.tokens]: tokens }
      const set = { ...describe(place), [names.askedAt]: askedAt, [names.deadline]: deadline }
      if (!(await table.update(key, { set, add }, absent(names.askedAt)))) await table.update(key, { add })
    },

    /** A doer's step that is a run of its own is noted before the child exists, so that cancel finds it. False where the step was given up before. */
    async noteChild(place: CallPlace, { runId, kind, notedAt }: ChildNote): Promise<boolean> {
      const names = entryNames(place.entry)
      const key = resultsKey(place)
      const note = { [names.child]: runId, [names.childKind]: kind, [names.childNotedAt]: notedAt }
      const change = { set: { ...describe(place), ...note } }
      if (await table.update(key, change, all(absent(names.child), absent('closed')))) return true
      return (await read(place)).entry(place.entry).child?.runId === runId
    },
  }
}

export type Holding =
  | { readonly kind: 'open' }
  | { readonly kind: 'claim' }
  /** The claim that was seen, and is dead; or that there was none. */
  | { readonly kind: 'abandoned'; readonly claim: Claim | undefined }

function holds(entry: number, owner: string, holding: Holding): Condition {
  const names = entryNames(entry)
  switch (holding.kind) {
    case 'open':
      return absent(names.result)
    case 'claim':
      return equals(names.claim, owner)
    case 'abandoned':
      return holding.claim
        ? all(equals(names.claim, holding.claim.owner), atMost(names.claimDeadAfter, holding.claim.deadAfter))
        : absent(names.claim)
  }
}

function describe({ step, expiresAt }: CallPlace): Attributes {
  if (!step) return { expiresAt }
  return {
    expiresAt,
    name: step.name,
    number: step.number,
    callable: step.callable,
    input: toJsonText(step.input, 'The input'),
    ...(step.indexes !== undefined && step.indexes.length > 0 && { indexes: JSON.stringify(step.indexes) }),
  }
}

const Numbers = z.set(z.number())

/** Reads an item's entries. `own` has the texts of results that stand in items of their own, where a Query brought them along. */
export async function readEntries(
  table: Table,
  item: Item | { readonly pk: string; readonly sk: string },
  own?: ReadonlyMap<string, string>,
): Promise<CallEntries> {
  const attributes: Attributes = item
  const done = Numbers.safeParse(attributes.done).data ?? new Set<number>()
  const results = new Map<number, CallResult>()
  await Promise.all(
    [...done].map(async (entry) => {
      const packed = z.string().parse(attributes[entryNames(entry).result])
      const text = await unpackText(table, packed, { pk: item.pk, ...(own && { read: own }) })
      results.set(entry, CallResult.parse(JSON.parse(text)))
    }),
  )
  return {
    closed: attributes.closed === true,
    done,
    entry: (index) => ({
      result: results.get(index),
      claim: readClaim(attributes, index),
      child: readChild(attributes, index),
      question: readQuestion(attributes, index),
      late: readLate(attributes, index),
    }),
  }
}

/** How often a doer's step was tried: its entries follow each other. */
export function attemptsOf({ entry }: CallEntries): number {
  for (let attempts = 0; ; attempts += 1) {
    if (Object.values(entry(attempts)).every((part) => part === undefined)) return attempts
  }
}

export function readQuestion(attributes: Attributes, index: number): Question | undefined {
  const names = entryNames(index)
  if (attributes[names.askedAt] === undefined) return undefined
  return {
    askedAt: z.number().parse(attributes[names.askedAt]),
    deadline: z.number().parse(attributes[names.deadline]),
    tokens: z.set(z.string()).parse(attributes[names.tokens]),
  }
}

export function readChild(attributes: Attributes, index: number): ChildNote | undefined {
  const names = entryNames(index)
  if (attributes[names.child] === undefined) return undefined
  return {
    runId: z.string().parse(attributes[names.child]),
    kind: z.enum(['thinker', 'doer']).parse(attributes[names.childKind]),
    notedAt: z.number().parse(attributes[names.childNotedAt]),
  }
}

function readLate(attributes: Attributes, index: number): LateResult | undefined {
  const late = attributes[entryNames(index).late]
  return late === undefined ? undefined : LateResult.parse(JSON.parse(z.string().parse(late)))
}

function readClaim(attributes: Attributes, index: number): Claim | undefined {
  const names = entryNames(index)
  if (attributes[names.claim] === undefined) return undefined
  return {
    owner: z.string().parse(attributes[names.claim]),
    requestId: z.string().parse(attributes[names.claimRequest]),
    claimedAt: z.number().parse(attributes[names.claimedAt]),
    deadAfter: z.number().parse(attributes[names.claimDeadAfter]),
  }
}
