import { canonicalText, type Item } from './attribute-value.ts'
import { itemSizeBytes } from './item-size.ts'
import { type GlobalIndex, keyOf, keyText, type TableSchema } from './table-schema.ts'
import type { Charge } from './token-buckets.ts'

/** Units of one partition of a table or, where `index` is there, of one of its indexes. */
export interface UnitCharge extends Charge {
  readonly index: GlobalIndex | undefined
}

/** An item before or after a write; undefined where there is none. */
type Image = Item | undefined

/**
 * What a write costs: of the table a unit for each KB begun of the larger image, at least one; of a global secondary index what
 * its entries take. Sources: DynamoDB Developer Guide, "DynamoDB read and write operations" and "Using Global Secondary Indexes"
 * (write capacity units).
 */
export function writeCharges(
  schema: TableSchema,
  key: Item,
  before: Image,
  after: Image,
): readonly UnitCharge[] {
  return [
    tableCharge(schema, key, before, after),
    ...schema.indexes.flatMap((index) => indexCharges(schema, index, before, after)),
  ]
}

/** What a write costs the table alone, as when its condition refuses it: the larger of what is there and what was to be. */
export function tableCharge(schema: TableSchema, key: Item, before: Image, after: Image): UnitCharge {
  const units = Math.max(1, unitsOf(before), unitsOf(after))
  return charge(schema, undefined, partitionKeyOf(schema.keys, key), units)
}

/**
 * What an update of an item costs at least, with what is known before it: its table the image that is there, and an index that
 * projects one of the `named` attributes a unit of the partition where the item is. A move to another partition shows after.
 */
export function leastUpdateCharges(
  schema: TableSchema,
  key: Item,
  before: Image,
  named: ReadonlySet<string>,
): readonly UnitCharge[] {
  const touched = schema.indexes.flatMap((index) => {
    const entry = entryOf(schema, index, before)
    const { projected = named } = index
    if (entry === undefined || [...named].every((name) => !projected.has(name))) return []
    return [charge(schema, index, partitionKeyOf(index.keys, entry), 1)]
  })
  return [tableCharge(schema, key, before, undefined), ...touched]
}

function indexCharges(
  schema: TableSchema,
  index: GlobalIndex,
  before: Image,
  after: Image,
): readonly UnitCharge[] {
  const old = entryOf(schema, index, before)
  const entry = entryOf(schema, index, after)
  const chargeOf = (place: Item, units: number) =>
    charge(schema, index, partitionKeyOf(index.keys, place), units)
  if (old === undefined) return entry === undefined ? [] : [chargeOf(entry, unitsOf(entry))]
  if (entry === undefined) return [chargeOf(old, unitsOf(old))]
  if (isSame(keyOf(index.keys, old), keyOf(index.keys, entry)))
    return isSame(old, entry) ? [] : [chargeOf(entry, Math.max(unitsOf(old), unitsOf(entry)))]
  return [chargeOf(old, unitsOf(old)), chargeOf(entry, unitsOf(entry))]
}

/** What of an item stands in an index; nothing unless it has all of the index's keys. */
function entryOf(schema: TableSchema, index: GlobalIndex, item: Image): Image {
  if (item === undefined || keyOf([...schema.keys, ...index.keys], item) === undefined) return undefined
  const { projected } = index
  return projected ? Object.fromEntries(Object.entries(item).filter(([name]) => projected.has(name))) : item
}

function charge(
  schema: TableSchema,
  index: GlobalIndex | undefined,
  partitionKey: Item,
  units: number,
): UnitCharge {
  return { index, bucket: bucketOf(schema, index, partitionKey), units }
}

/** Names the partition of a table or an index; `partitionKey` has its one attribute. */
export const bucketOf = (schema: TableSchema, index: GlobalIndex | undefined, partitionKey: Item): string =>
  JSON.stringify([schema.name, index?.name ?? null, keyText(partitionKey)])

const partitionKeyOf = ([name]: readonly [string, ...string[]], item: Item): Item => keyOf([name], item) ?? {}

const unitsOf = (image: Image): number => (image === undefined ? 0 : Math.ceil(itemSizeBytes(image) / 1_024))

const isSame = (a: Item = {}, b: Item = {}): boolean => canonicalText({ M: a }) === canonicalText({ M: b })
