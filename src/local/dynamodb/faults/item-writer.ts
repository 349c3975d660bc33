import type { Item } from './attribute-value.ts'
import type { Consumption, Used } from './consumption.ts'
import { createItemLocks } from './item-locks.ts'
import { keyText } from './table-schema.ts'
import type { OpenTable, Tables } from './tables.ts'
import { throttledAnswer } from './throttled.ts'
import type { TokenBuckets } from './token-buckets.ts'
import { type Answer, errorOf, type Wire } from './wire.ts'
import { leastUpdateCharges, tableCharge, type UnitCharge, writeCharges } from './write-charges.ts'

/** A write of one item; an update names the attributes that it touches, or more. */
export interface ItemWrite {
  readonly table: OpenTable
  readonly key: Item
  readonly change:
    | { readonly kind: 'put'; readonly item: Item }
    | { readonly kind: 'delete' }
    | { readonly kind: 'update'; readonly named: ReadonlySet<string> }
}

/** What came of writes. */
export interface Written<W> {
  /** DynamoDB's, or the refusal when each of them was throttled. */
  readonly answer: Answer
  /** Those that were not sent. */
  readonly throttled: readonly W[]
  /** By the table's name. */
  readonly used: ReadonlyMap<string, readonly Used[]>
}

export interface ItemWriter {
  /** Has `send` write what their partitions have units for, while nobody else writes these items. */
  write<W extends ItemWrite>(
    writes: readonly W[],
    send: (admitted: readonly W[]) => Promise<Answer>,
  ): Promise<Written<W>>
}

interface Staged<W> {
  readonly write: W
  readonly before: Item | undefined
  /** All that it costs, or for an update the least. */
  readonly reserved: readonly UnitCharge[]
}

/** Reads each item before it is written and, when it was updated, after; tells the copies and counts the units. */
export function createItemWriter(options: {
  readonly wire: Wire
  readonly tables: Tables
  readonly buckets: TokenBuckets
  readonly consumption: Consumption
}): ItemWriter {
  const { wire, tables, buckets, consumption } = options
  const locks = createItemLocks()

  async function stage<W extends ItemWrite>(write: W): Promise<Staged<W>> {
    const before = await readItem(wire, write)
    return { write, before, reserved: chargesAhead(write, before) }
  }

  async function finish({ write, before, reserved }: Staged<ItemWrite>, answer: Answer): Promise<Used[]> {
    const charges = await chargesAfter(write, before, answer)
    buckets.settle(reserved, charges)
    consumption.add(write.table.schema.name, 'writeUnits', charges)
    return charges
  }

  async function chargesAfter(
    write: ItemWrite,
    before: Item | undefined,
    answer: Answer,
  ): Promise<UnitCharge[]> {
    const { table, key, change } = write
    const error = errorOf(answer)
    // What an update would have made of the item is not known when it was refused.
    if (error === 'ConditionalCheckFailedException')
      return [tableCharge(table.schema, key, before, imageOf(change))]
    if (error !== undefined) return []
    const after = change.kind === 'update' ? await readItem(wire, write) : imageOf(change)
    const charges = writeCharges(table.schema, key, before, after)
    const version = { key, item: after }
    table.replica.add(keyText(key), version)
    if (charges.some(({ index }) => index)) table.indexReplica?.add(keyText(key), version)
    return [...charges]
  }

  return {
    write: (writes, send) =>
      locks.run(writes.map(lockOf), async () => {
        const staged = await Promise.all(writes.map(stage))
        const admitted: typeof staged = []
        const refused: { readonly write: (typeof writes)[number]; readonly over: UnitCharge }[] = []
        for (const each of staged) {
          const over = buckets.reserve(each.reserved)
          if (over) refused.push({ write: each.write, over })
          else admitted.push(each)
        }
        const throttled = refused.map(({ write }) => write)
        const [first] = refused
        if (first && admitted.length === 0) {
          const answer = throttledAnswer(first.write.table.schema, first.over.index, 'Write')
          return { answer, throttled, used: new Map() }
        }
        const written = admitted.map(({ write }) => write)
        try {
          const answer = await send(written)
          const used = await Promise.all(admitted.map((each) => finish(each, answer)))
          forgetTables(written.filter(({ table }) => !tables.isOpen(table)))
          return { answer, throttled, used: groupByTable(written, used) }
        } catch (error) {
          forgetTables(written) // whether they were written is not known
          throw error
        }
      }),
  }

  function forgetTables(writes: readonly ItemWrite[]): void {
    for (const { table } of writes) tables.forget(table.schema.name)
  }
}

function chargesAhead({ table, key, change }: ItemWrite, before: Item | undefined): readonly UnitCharge[] {
  if (change.kind === 'update') return leastUpdateCharges(table.schema, key, before, change.named)
  return writeCharges(table.schema, key, before, imageOf(change))
}

/** Undefined when there is no such item, and when DynamoDB refuses the key: it will refuse the write too. */
async function readItem(wire: Wire, { table, key }: ItemWrite): Promise<Item | undefined> {
  const input = { TableName: table.schema.name, Key: key, ConsistentRead: true }
  const { body } = await wire.send('GetItem', input)
  return body.Item as Item | undefined // the shape of GetItem's output
}

const imageOf = (change: ItemWrite['change']): Item | undefined =>
  change.kind === 'put' ? change.item : undefined

const lockOf = ({ table, key }: ItemWrite): string => JSON.stringify([table.schema.name, keyText(key)])

function groupByTable(
  writes: readonly ItemWrite[],
  used: readonly (readonly Used[])[],
): ReadonlyMap<string, readonly Used[]> {
  const groups = Map.groupBy(
    writes.flatMap(({ table }, index) => (used[index] ?? []).map((each) => ({ table, each }))),
    ({ table }) => table.schema.name,
  )
  return new Map([...groups].map(([name, group]) => [name, group.map(({ each }) => each)]))
}
