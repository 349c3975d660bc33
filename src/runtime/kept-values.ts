import * as z from 'zod'
import { type Failure, Internal, toFailure } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { isPlainObject } from '../core/json-value.ts'
import {
  KEEP_PRESENCE,
  type Keep,
  type KeptParts,
  POINTER,
  SMALL_BYTES,
  SMALLEST_BYTES,
  type WantedAnswer,
} from '../core/keep.ts'
import type { CallAddress } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/**
 * What stands in a machine's state for a value that stayed in the table: the key of its step, the try, and the way to the value; or
 * `A#` and the id of a list artifact, the item's index, and the way. Example: `{ 'turnwise:value': ['S#0001#list orders', 0, 'orders', 3, 'note'] }`. Beside it an object has those of its fields that the
 * machine computes with.
 */
const Pointer = z.object({
  [POINTER]: z.tuple([z.string().regex(/^[SA]#/), z.int()]).rest(z.union([z.string(), z.int()])),
})
type Way = readonly (string | number)[]

/** Step Functions: a state takes at most 256 KiB; the rest is for what else stands in it. */
const LARGEST_ANSWER_BYTES = 200_000

/**
 * What a machine is answered for a step's output: what it wants of it, with pointers in place of what is large. `smallBytes`: the sizes up to
 * which a value is handed on itself, tried one after the other until the whole is small enough.
 */
export function answerOf(
  output: unknown,
  { sk, entry }: Pick<CallAddress, 'sk' | 'entry'>,
  wanted: WantedAnswer | undefined,
  smallBytes: readonly number[] = [SMALL_BYTES, SMALLEST_BYTES],
): { readonly output: unknown } | { readonly failure: Failure } {
  if (wanted === undefined) return { output }
  let sizeBytes = 0
  for (const [index, small] of smallBytes.entries()) {
    const answer = cut(output, wanted.keep, [sk, entry], small)
    sizeBytes = sizeOf(answer)
    const most = index === smallBytes.length - 1 ? LARGEST_ANSWER_BYTES : wanted.mostBytes
    if (sizeBytes <= most) return { output: answer }
  }
  return { failure: tooLarge(sizeBytes) }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(toJsonText(value, 'The answer'))

const tooLarge = (sizeBytes: number) =>
  toFailure(
    new Internal(
      `it did run, but the machine computes with ${sizeBytes} bytes of what it gave, and a state takes at most ${LARGEST_ANSWER_BYTES}; ` +
        'give back a list artifact, or compute in d.code',
    ),
  )

function cut(value: unknown, keep: Keep, way: Way, smallBytes: number): unknown {
  if (keep === 'inline') return value
  if (keep === 'passed') return isSmall(value, smallBytes) ? value : { [POINTER]: way }
  if (Array.isArray(value)) {
    const items = keep.items ?? (keep.whole ? 'passed' : KEEP_PRESENCE)
    return value.map((item, index) => cut(item, items, [...way, index], smallBytes))
  }
  if (!isPlainObject(value)) return cut(value, 'passed', way, smallBytes)
  if (keep.whole && isSmall(value, smallBytes)) return value
  return { ...(keep.whole && { [POINTER]: way }), ...cutFields(value, keep, way, smallBytes) }
}

function cutFields(value: object, { fields = {} }: KeptParts, way: Way, smallBytes: number) {
  const kept = Object.entries(value).flatMap(([name, field]) => {
    const keep = Object.hasOwn(fields, name) ? fields[name] : undefined
    return keep === undefined ? [] : [[name, cut(field, keep, [...way, name], smallBytes)] as const]
  })
  return Object.fromEntries(kept)
}

/** Null always is: a pointer would look like a value. One that looks as if it had a pointer in it is kept in the table, so that nobody follows it. */
function isSmall(value: unknown, smallBytes: number): boolean {
  if (value === null) return true
  const text = toJsonText(value, 'The answer')
  return Buffer.byteLength(text) <= smallBytes && !text.includes(POINTER)
}

/** Where an item of a list artifact stands, as pointers have it. */
export const listAddress = (artifact: string, index: number) => ({ sk: `A#${artifact}`, entry: index })

/** The value with what its pointers stand for in their places; they are of steps of this run, or of lists. */
export async function followPointers(
  store: Pick<Store, 'calls' | 'artifacts'>,
  runId: string,
  value: unknown,
): Promise<unknown> {
  const records = new Map<string, Promise<unknown>>()
  const recordOf = (sk: string, entry: number): Promise<unknown> => {
    const key = `${sk} ${entry}`
    const record = records.get(key) ?? readRecord(store, { runId, sk, entry })
    records.set(key, record)
    return record
  }
  const follow = async (part: unknown): Promise<unknown> => {
    if (Array.isArray(part)) return Promise.all(part.map(follow))
    if (!isPlainObject(part)) return part
    const pointer = Pointer.safeParse(part)
    if (pointer.success) {
      const [sk, entry, ...way] = pointer.data[POINTER]
      return way.reduce<unknown>((whole, step) => Reflect.get(Object(whole), step), await recordOf(sk, entry))
    }
    const fields = Object.entries(part).map(async ([name, field]) => [name, await follow(field)] as const)
    return Object.fromEntries(await Promise.all(fields))
  }
  return follow(value)
}

async function readRecord(
  { calls, artifacts }: Pick<Store, 'calls' | 'artifacts'>,
  address: CallAddress,
): Promise<unknown> {
  if (address.sk.startsWith('A#')) return artifacts.readItem(address.sk.slice('A#'.length), address.entry)
  const { result } = (await calls.read(address)).entry(address.entry)
  if (!result?.ok) throw new Internal(`The record of ${address.sk} has no result, to which a value points`)
  return result.value
}
