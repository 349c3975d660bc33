import * as z from 'zod'
import { MOST_LIST_ITEMS } from '../core/artifact.ts'
import { findList } from '../runtime/list-artifacts.ts'
import type { Ports } from '../runtime/ports.ts'
import { parseRequest } from './errors.ts'

/** A part of a list as `GET /artifacts/:id` shows it. */
export interface ArtifactPage {
  readonly id: string
  /** Of the whole list. */
  readonly size: number
  readonly from: number
  readonly items: readonly unknown[]
  /** The `from` of the next page; absent on the last. */
  readonly next?: number
}

/** Lambda takes 6 MB in all, and counts a body as the JSON text that it is in its answer: quotes are escaped once more. */
const MOST_PAGE_BYTES = 4_000_000

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'It must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
const Query = z.object({
  from: whole(0, MOST_LIST_ITEMS).default(0),
  limit: whole(1, 1_000).default(100),
})

/**
 * The items from `from` on, at most `limit` and about 4 MB of them, though always one where there is one. Throws `InvalidInput` that names a wrong
 * field, `NotFound` for a list that is not there or has expired.
 */
export async function readPage(
  ports: Pick<Ports, 'store' | 'clock'>,
  id: string,
  query: Readonly<Record<string, string>>,
): Promise<ArtifactPage> {
  const { from, limit } = parseRequest(Query, query)
  const { size } = await findList(ports, id)
  parseRequest(z.object({ from: z.number().max(size, `The list has ${size} items`) }), { from })
  const items: unknown[] = []
  let sizeBytes = 0
  for await (const item of ports.store.artifacts.readItems(id, from, Math.min(limit, size - from))) {
    sizeBytes += Buffer.byteLength(JSON.stringify(JSON.stringify(item)))
    if (items.length > 0 && sizeBytes > MOST_PAGE_BYTES) break
    items.push(item)
  }
  const next = from + items.length
  return { id, size, from, items, ...(next < size && { next }) }
}
