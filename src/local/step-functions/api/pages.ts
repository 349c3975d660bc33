import * as z from 'zod'
import { ApiError } from '../errors.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../limits.ts'
import { fromPageToken, toPageToken } from './operation.ts'

/** The members by which a list is asked for in pages. Step Functions: a token has 1 to 1,024 characters; 0 results means 100. */
export const pageRequest = {
  maxResults: z.int().min(0).max(MAXIMUM_PAGE_SIZE).optional(),
  nextToken: z.string().min(1).max(1_024).optional(),
}

export interface PageRequest {
  readonly maxResults?: number | undefined
  readonly nextToken?: string | undefined
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Spread into the response. */
  readonly next: { readonly nextToken?: string }
}

const tokenParts = z.tuple([z.string(), z.string()])

/**
 * A page of a list. `listed` says of what, `ListStateMachines` or an ARN: a token of another list is `InvalidToken`, as is a text that is
 * no token. `find` gives what comes after the item of a key, which is undefined for the first page; `keyOf` gives an item's.
 */
export function readPage<Item>(
  listed: string,
  { maxResults, nextToken }: PageRequest,
  find: (afterKey: string | undefined, limit: number) => readonly Item[],
  keyOf: (item: Item) => string,
): Page<Item> {
  const limit = maxResults || DEFAULT_PAGE_SIZE
  const found = find(nextToken === undefined ? undefined : parseToken(listed, nextToken), limit + 1)
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (found.length <= limit || last === undefined) return { items, next: {} }
  return { items, next: { nextToken: toPageToken(JSON.stringify([listed, keyOf(last)])) } }
}

function parseToken(listed: string, token: string): string {
  try {
    const [tokenOf, key] = tokenParts.parse(JSON.parse(fromPageToken(token)))
    if (tokenOf === listed) return key
  } catch {
    // Refused below.
  }
  throw new ApiError('InvalidToken', "Invalid Token: 'Invalid token'")
}
