import type { Key } from './table.ts'

/** Where the results of a turn, or the result of a doer's step, stand: one item, an entry per call. */
export interface CallAddress {
  readonly runId: string
  /** `T#000007#R` or `S#0003#look up#00012`. */
  readonly sk: string
  /** The call's place among the calls of its turn; of a step the try, from 0. */
  readonly entry: number
}

export const runKey = (runId: string): Key => ({ pk: `RUN#${runId}`, sk: 'RUN' })

/** A text of the run that is too large for its item; the writer's nonce keeps two writers apart. One Query reads it with the run. */
export const runTextKey = (runId: string, part: 'input' | 'outcome', nonce: string): Key => ({
  pk: `RUN#${runId}`,
  sk: `RUN#${part}#${nonce}`,
})

/** Six digits: order comes from keys. */
export const turnKey = (runId: string, turn: number): Key => ({
  pk: `RUN#${runId}`,
  sk: `T#${digits(turn, 6)}`,
})

export const turnCall = (runId: string, turn: number, entry: number): CallAddress => ({
  runId,
  sk: `T#${digits(turn, 6)}#R`,
  entry,
})

export const stepCall = (
  runId: string,
  step: {
    readonly number: number
    readonly name: string
    readonly indexes?: readonly number[] | undefined
  },
): CallAddress => ({
  runId,
  sk: [
    `S#${digits(step.number, 4)}`,
    step.name,
    ...(step.indexes ?? []).map((index) => digits(index, 5)),
  ].join('#'),
  entry: 0,
})

/** Of a step in maps and repeats: its places without the innermost of its indexes, where it is closed together with all that is around it. */
export const placesAround = (runId: string, step: Parameters<typeof stepCall>[1]): readonly CallAddress[] =>
  (step.indexes ?? []).map((_, depth, indexes) =>
    stepCall(runId, { ...step, indexes: indexes.slice(0, depth) }),
  )

export const resultsKey = ({ runId, sk }: Pick<CallAddress, 'runId' | 'sk'>): Key => ({
  pk: `RUN#${runId}`,
  sk,
})

/** A result of its own item; the writer's nonce keeps two writers apart. It stands behind its results item, so that one Query reads both. */
export const ownResultKey = ({ runId, sk, entry }: CallAddress, nonce: string): Key => ({
  pk: `RUN#${runId}`,
  sk: `${sk}#${digits(entry, 2)}#${nonce}`,
})

/** Chunks are spread over 8 partitions, since a partition takes 1,000 write units a second. */
export const chunkKey = (nonce: string, index: number): Key => ({
  pk: `CHUNK#${nonce}#${index % 8}`,
  sk: digits(index, 6),
})

/** What says that a list artifact is whole. */
export const listKey = (id: string): Key => ({ pk: `ARTIFACT#${id}`, sk: 'HEAD' })

/** A partition holds this many items of a list: one Query reads them, and a large list is spread over many partitions. */
const SECTION_ITEMS = 100

export const listItemKey = (id: string, index: number): Key => ({
  pk: `ARTIFACT#${id}#${Math.floor(index / SECTION_ITEMS)}`,
  sk: digits(index, 6),
})

/** Where the items from `from` up to `end`, itself left out, stand: ranges of sort keys, in order, one of each partition. */
export function* listRanges(
  id: string,
  from: number,
  end: number,
): Generator<{ readonly pk: string; readonly from: string; readonly to: string }> {
  for (let start = from; start < end; ) {
    const next = Math.min(end, start - (start % SECTION_ITEMS) + SECTION_ITEMS)
    const { pk, sk } = listItemKey(id, start)
    yield { pk, from: sk, to: digits(next - 1, 6) }
    start = next
  }
}

/** The names of an entry's attributes in a results item: they are top-level, since a path into an absent map is refused. */
export const entryNames = (entry: number) => ({
  result: `r${entry}`,
  resultOwner: `r${entry}o`,
  claim: `c${entry}`,
  claimRequest: `c${entry}q`,
  claimDeadAfter: `c${entry}d`,
  claimedAt: `c${entry}s`,
  late: `l${entry}`,
  child: `h${entry}`,
  childKind: `h${entry}k`,
  childNotedAt: `h${entry}s`,
  askedAt: `q${entry}s`,
  deadline: `q${entry}d`,
  tokens: `q${entry}t`,
})

/** The open index has this many shards. */
export const OPEN_SHARDS = 4

export function openShard(runId: string): string {
  let sum = 0
  for (const character of runId) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  return `OPEN#${sum % OPEN_SHARDS}`
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0')
