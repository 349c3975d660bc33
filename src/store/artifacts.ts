import * as z from 'zod'
import { LARGEST_LIST_ITEM_BYTES, MOST_LIST_ITEMS } from '../core/artifact.ts'
import { Internal } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { createBoundedWrites } from './bounded-writes.ts'
import { listItemKey, listKey, listRanges } from './keys.ts'
import { absent, type Item, type Table } from './table.ts'
import { packText, unpackText } from './values.ts'

/** What says that a list is whole. */
export interface ListHead {
  readonly id: string
  readonly size: number
  /** Seconds since 1970: from then on it may be gone, and counts as gone. */
  readonly expiresAt: number
}

const MOST_WRITES = 32
/** Between them: a large item is cut into chunks that are all written at once. */
const MOST_WRITING_BYTES = LARGEST_LIST_ITEM_BYTES

/**
 * List artifacts: an item of the table for each item of the list, then the head. Whoever writes an item or a head first has written it for all
 * readers, and a repeat changes nothing, so several writers may write one list under an id that they agree on.
 */
export function createArtifacts(table: Table, random: () => string) {
  const writeText = async (id: string, index: number, text: string, expiresAt: number) => {
    const item = await packText(table, text, { nonce: random(), expiresAt })
    await table.put({ ...listItemKey(id, index), item, expiresAt }, absent('pk'))
  }

  return {
    /** Writes one item. Throws `Internal`, before anything is written, for an index of 100,000 or more and an item that cannot be kept. */
    async writeItem(id: string, index: number, value: unknown, expiresAt: number): Promise<void> {
      await writeText(id, index, toItemText(value, index), expiresAt)
    },

    /** Writes items as they come, some 32 at once, and answers how many there were. When it fails, or the signal is aborted, nothing is being written any more. */
    async writeItems(
      id: string,
      items: Iterable<unknown> | AsyncIterable<unknown>,
      { expiresAt, signal }: { readonly expiresAt: number; readonly signal?: AbortSignal },
    ): Promise<number> {
      if (Array.isArray(items)) requireSize(items.length)
      const writes = createBoundedWrites(MOST_WRITES, MOST_WRITING_BYTES)
      let size = 0
      try {
        for await (const value of items) {
          signal?.throwIfAborted()
          const index = size
          const text = toItemText(value, index)
          await writes.begin(Buffer.byteLength(text), () => writeText(id, index, text, expiresAt))
          size += 1
        }
      } finally {
        await writes.settle()
      }
      await writes.finish()
      return size
    },

    /** Makes a list whose items are all written visible. Throws `Internal` for a size above 100,000. */
    async finish(id: string, size: number, expiresAt: number): Promise<void> {
      requireSize(size)
      await table.put({ ...listKey(id), size, expiresAt }, absent('pk'))
    },

    /** The head of a list; undefined while it is being written, and when there is none. */
    async read(id: string): Promise<ListHead | undefined> {
      const item = await table.get(listKey(id), { consistent: true })
      return item && { id, ...Head.parse(item) }
    },

    /** One item, also of a list that is not finished; undefined when it is not there. */
    async readItem(id: string, index: number): Promise<unknown> {
      const item = await table.get(listItemKey(id, index), { consistent: true })
      return item && readValue(table, item)
    },

    /** So many items in order, of a list that is known to have them: a page of at most 1 MB at a time, a larger item when its turn comes. */
    async *readItems(id: string, from: number, limit: number): AsyncGenerator<unknown, void, void> {
      let index = from
      for (const range of listRanges(id, from, from + limit)) {
        for await (const item of itemsIn(table, range)) {
          if (item.sk !== listItemKey(id, index).sk) throw lostItem(id, index)
          yield readValue(table, item)
          index += 1
        }
      }
      if (index < from + limit) throw lostItem(id, index)
    },
  }
}

const Head = z.object({ size: z.number(), expiresAt: z.number() })

async function* itemsIn(table: Table, range: { pk: string; from: string; to: string }): AsyncGenerator<Item> {
  let after: string | undefined
  do {
    const page = await table.queryPage({ ...range, consistent: true, ...(after !== undefined && { after }) })
    yield* page.items
    after = page.after
  } while (after !== undefined)
}

async function readValue(table: Table, { pk, item }: Item): Promise<unknown> {
  return JSON.parse(await unpackText(table, z.string().parse(item), { pk }))
}

function toItemText(value: unknown, index: number): string {
  requireSize(index + 1)
  // Where `undefined` stands in a list, JSON has null.
  if (value === undefined)
    throw new Internal(
      `Item ${index} of the list is undefined, which JSON cannot hold; give null, or leave it out`,
    )
  const text = toJsonText(value, `Item ${index} of the list`)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LARGEST_LIST_ITEM_BYTES)
    throw new Internal(
      `Item ${index} of the list is ${sizeBytes} bytes of JSON; an item is at most ${LARGEST_LIST_ITEM_BYTES}`,
    )
  return text
}

function requireSize(size: number): void {
  if (size > MOST_LIST_ITEMS)
    throw new Internal(`The list has more than ${MOST_LIST_ITEMS} items; save it as several lists`)
}

// Items are written before the head, so a consistent read finds them.
export const lostItem = (id: string, index: number): Error =>
  new Error(`The table lost item ${index} of the list ${id}, which was finished`)
