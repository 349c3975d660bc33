import * as z from 'zod'
import { chunkKey } from './keys.ts'
import type { Key, Table } from './table.ts'

/** Where a text stands: in the attribute itself, in an item of its own in the run's partition, or in chunks. */
const Reference = z.union([
  z.object({ item: z.string() }),
  z.object({ chunks: z.string(), count: z.int().positive() }),
])

/** DynamoDB: an item is at most 400 KB, names and keys included. */
const ITEM_TEXT_BYTES = 300_000
const CHUNK_BYTES = 350_000

export interface PackOptions {
  /** Tells one writer's chunks from another's. */
  readonly nonce: string
  readonly expiresAt: number
  /** Above `inlineBytes`, and below an item's size, the text gets this item. Default: it stays inline as long as an item holds it. */
  readonly own?: { readonly inlineBytes: number; readonly key: Key }
}

/** Writes a text that is too large for its attribute; answers what to put there. The first character tells the forms apart: `=` text, `@` reference. */
export async function packText(
  table: Table,
  text: string,
  { nonce, expiresAt, own }: PackOptions,
): Promise<string> {
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= (own?.inlineBytes ?? ITEM_TEXT_BYTES)) return `=${text}`
  if (own && sizeBytes <= ITEM_TEXT_BYTES) {
    await table.put({ ...own.key, text, expiresAt })
    return `@${JSON.stringify({ item: own.key.sk })}`
  }
  const chunks = cut(text)
  await Promise.all(
    chunks.map((chunk, index) => table.put({ ...chunkKey(nonce, index), text: chunk, expiresAt })),
  )
  return `@${JSON.stringify({ chunks: nonce, count: chunks.length })}`
}

/** Reads what `packText` answered. `read` has the run's items that are at hand already, by sort key. */
export async function unpackText(
  table: Table,
  packed: string,
  { pk, read }: { readonly pk: string; readonly read?: ReadonlyMap<string, string> },
): Promise<string> {
  if (packed.startsWith('=')) return packed.slice(1)
  const reference = Reference.parse(JSON.parse(packed.slice(1)))
  if ('item' in reference) return read?.get(reference.item) ?? readText(table, { pk, sk: reference.item })
  const { chunks, count } = reference
  const texts = await Promise.all(
    Array.from({ length: count }, (_, index) => readText(table, chunkKey(chunks, index))),
  )
  return texts.join('')
}

// Written before what points to them, so a consistent read finds them.
async function readText(table: Table, key: Key): Promise<string> {
  const item = await table.get(key, { consistent: true })
  if (typeof item?.text !== 'string')
    throw new Error(`The table lost ${key.pk} ${key.sk}, to which a record points`)
  return item.text
}

/** Pieces of at most CHUNK_BYTES of UTF-8 (three bytes a UTF-16 unit at most); a surrogate pair stays in one piece. */
function cut(text: string): string[] {
  const units = Math.floor(CHUNK_BYTES / 3)
  const chunks: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + units, text.length)
    const code = text.charCodeAt(end - 1)
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1
    chunks.push(text.slice(start, end))
    start = end
  }
  return chunks
}
