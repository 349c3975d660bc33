import pMap from 'p-map'
import * as z from 'zod'
import { type Failure, Internal, InvalidInput, TurnwiseError, toFailure } from '../core/errors.ts'
import { isPlainObject } from '../core/json-value.ts'
import { POINTER } from '../core/keep.ts'
import type { CallAddress } from '../store/keys.ts'
import { findItem } from './list-artifacts.ts'
import type { Ports } from './ports.ts'

/**
 * What stands in a machine's state for a value that stayed in the table: the key of its step, the try, and the way to the value; or
 * `A#` and the id of a list artifact, the item's index, and the way. Example: `{ 'turnwise:value': ['S#0001#list orders', 0, 'orders', 3, 'note'] }`.
 * Beside it an object has those of its fields that the machine computes with.
 */
const Pointer = z.object({
  [POINTER]: z.tuple([z.string().regex(/^[SA]#/), z.int()]).rest(z.union([z.string(), z.int()])),
})
export type Way = readonly (string | number)[]

/** What a doer works on at once: a function has 256 MB. */
const MOST_FOLLOWED_BYTES = 32_000_000
const AT_ONCE = 16

/** Where an item of a list artifact stands, as pointers have it. */
export const listAddress = (artifact: string, index: number) => ({ sk: `A#${artifact}`, entry: index })

/** Whether something in a value looks as if it stood for another. */
export function holdsPointer(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsPointer)
  return isPlainObject(value) && (Object.hasOwn(value, POINTER) || Object.values(value).some(holdsPointer))
}

/** Data from outside may hold nothing that would be followed. Throws `InvalidInput`. */
export function refusePointers(value: unknown, what: string): void {
  if (holdsPointer(value))
    throw new InvalidInput(
      `${what} has a field "${POINTER}", which stands for values that are kept elsewhere`,
    )
}

/**
 * The value with what its pointers stand for in their places; they are of steps of this run, or of lists. Throws `Internal` where a pointer leads
 * nowhere, and for more than 32 MB.
 */
export async function followPointers(
  ports: Pick<Ports, 'store' | 'clock'>,
  runId: string,
  value: unknown,
): Promise<unknown> {
  const records = new Map<string, Promise<unknown>>()
  let followedBytes = 0
  const recordOf = (address: CallAddress): Promise<unknown> => {
    const key = `${address.sk} ${address.entry}`
    const record = records.get(key) ?? readRecord(ports, address)
    records.set(key, record)
    return record
  }
  const follow = async (part: unknown): Promise<unknown> => {
    if (Array.isArray(part)) return pMap(part, follow, { concurrency: AT_ONCE })
    if (!isPlainObject(part)) return part
    const pointer = Pointer.safeParse(part)
    if (!pointer.success) {
      const fields: [string, unknown][] = []
      for (const [name, field] of Object.entries(part)) fields.push([name, await follow(field)])
      return Object.fromEntries(fields)
    }
    const [sk, entry, ...way] = pointer.data[POINTER]
    const found = walk(await recordOf({ runId, sk, entry }), way, sk)
    followedBytes += Buffer.byteLength(JSON.stringify(found ?? null))
    if (followedBytes > MOST_FOLLOWED_BYTES)
      throw new Internal(
        `What is handed on is more than ${MOST_FOLLOWED_BYTES} bytes together; keep it as a list artifact`,
      )
    return found
  }
  return follow(value)
}

/** A value in which nothing stands for another any more, or why there is none. */
export type Resolved =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure }

/** As `followPointers`, with what it throws of the family as an answer: it is the failure of whoever was to be handed the value. An error of the table is thrown. */
export async function resolvePointers(
  ports: Pick<Ports, 'store' | 'clock'>,
  runId: string,
  value: unknown,
): Promise<Resolved> {
  try {
    return { ok: true, value: await followPointers(ports, runId, value) }
  } catch (error) {
    if (!(error instanceof TurnwiseError)) throw error
    return { ok: false, failure: toFailure(error) }
  }
}

function walk(record: unknown, way: Way, sk: string): unknown {
  return way.reduce<unknown>((whole, step) => {
    const part = Object(whole)
    if (!Object.hasOwn(part, step)) throw new Internal(`The record of ${sk} has nothing at ${way.join('.')}`)
    return Reflect.get(part, step)
  }, record)
}

async function readRecord(ports: Pick<Ports, 'store' | 'clock'>, address: CallAddress): Promise<unknown> {
  const { sk, entry } = address
  if (sk.startsWith('A#')) return findItem(ports, sk.slice('A#'.length), entry)
  const { result } = (await ports.store.calls.read(address)).entry(entry)
  if (!result?.ok) throw new Internal(`The record of ${sk} has no result, to which a value points`)
  return result.value
}
