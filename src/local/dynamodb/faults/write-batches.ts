import type { Item } from './attribute-value.ts'
import type { Wire } from './wire.ts'

/** One item as a write left it; without `item` it was deleted. */
export interface Version {
  readonly key: Item
  readonly item: Item | undefined
}

/** BatchWriteItem takes so many. */
const MOST_WRITES = 25

/** Writes versions of different items; rejects when DynamoDB refuses. */
export async function writeBatches(
  wire: Wire,
  tableName: string,
  versions: readonly Version[],
): Promise<void> {
  for (let first = 0; first < versions.length; first += MOST_WRITES) {
    const requests = versions
      .slice(first, first + MOST_WRITES)
      .map(({ key, item }) => (item ? { PutRequest: { Item: item } } : { DeleteRequest: { Key: key } }))
    const { status, body } = await wire.send('BatchWriteItem', { RequestItems: { [tableName]: requests } })
    if (status !== 200) throw new Error(`Copying to ${tableName} was refused: ${JSON.stringify(body)}`)
  }
}
