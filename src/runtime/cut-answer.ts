import { type Failure, Internal, toFailure } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { isPlainObject } from '../core/json-value.ts'
import {
  KEEP_PRESENCE,
  type Keep,
  type KeptParts,
  LARGEST_ANSWER_BYTES,
  POINTER,
  SMALL_BYTES,
  SMALLEST_BYTES,
  type WantedAnswer,
} from '../core/keep.ts'
import type { CallAddress } from '../store/keys.ts'
import { holdsPointer, type Way } from './pointers.ts'

/**
 * What a machine is answered for a step's output: what it wants of it, with pointers in place of what is large. `smallBytes`: the sizes up to
 * which a value is handed on itself, tried one after the other until the whole is small enough.
 */
export function cutAnswer(
  output: unknown,
  { sk, entry }: Pick<CallAddress, 'sk' | 'entry'>,
  wanted: WantedAnswer | undefined,
  smallBytes: readonly number[] = [SMALL_BYTES, SMALLEST_BYTES],
): { readonly output: unknown } | { readonly failure: Failure } {
  if (wanted === undefined) return { output }
  if (holdsPointer(inlineOf(output, wanted.keep))) return { failure: looksLikePointer }
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
      `it did run, but of what it gave the machine carries ${sizeBytes} bytes, and a state takes at most ${LARGEST_ANSWER_BYTES}; ` +
        'give back a list artifact, or compute in d.code',
    ),
  )

const looksLikePointer = toFailure(
  new Internal(
    `it did run, but what it gave has a field "${POINTER}", which stands for values that are kept elsewhere`,
  ),
)

/** The parts that the machine computes with, which stand in its state as they are. */
function inlineOf(value: unknown, keep: Keep): unknown {
  if (keep === 'inline') return value
  if (keep === 'passed') return null
  if (Array.isArray(value)) return value.map((item) => inlineOf(item, keep.items ?? KEEP_PRESENCE))
  if (!isPlainObject(value)) return null
  return Object.entries(value).map(([name, field]) => inlineOf(field, keep.fields?.[name] ?? KEEP_PRESENCE))
}

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
  return Buffer.byteLength(text) <= smallBytes && !holdsPointer(value)
}
