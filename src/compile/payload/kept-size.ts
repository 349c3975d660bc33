import type { StepNode } from '../../core/doer-plan.ts'
import { type Keep, POINTER, SMALL_BYTES, SMALLEST_BYTES, type WantedAnswer } from '../../core/keep.ts'
import { add, bytesOfJson, listOf, objectOf, ofBytes, type Size } from './size.ts'

/** Of a map's index in a step's key, and in the way to an item. */
const INDEX_BYTES = 6

/**
 * How much of a step's output of such a size its machine carries: what is only handed on is small, or a pointer. `depth`: maps and repeats around
 * the step.
 */
export function keptSize(
  size: Size,
  { keep, mostBytes }: WantedAnswer,
  { name }: StepNode,
  depth: number,
): Size {
  const pointer = bytesOfJson({ [POINTER]: [`S#0000#${name}`, 0] }) + depth * INDEX_BYTES
  const usual = cutSize(size, keep, { small: SMALL_BYTES, pointer })
  const smallest = cutSize(size, keep, { small: SMALLEST_BYTES, pointer })
  return within(usual, smallest, mostBytes)
}

/** It is cut as usual where it is no more than it may be then, and as far as can be where it is, in all of its parts. */
function within(usual: Size, smallest: Size, mostBytes: number): Size {
  const most = smallest.bytes === undefined ? undefined : Math.max(mostBytes, smallest.bytes)
  return {
    ...usual,
    bytes:
      most === undefined || usual.bytes === undefined ? (most ?? usual.bytes) : Math.min(usual.bytes, most),
    field: (name) => within(usual.field(name), smallest.field(name), mostBytes),
    item: () => within(usual.item(), smallest.item(), mostBytes),
  }
}

interface Cut {
  /** What is handed on as it is has at most so many bytes. */
  readonly small: number
  /** What a pointer has to where this is. */
  readonly pointer: number
}

function cutSize(size: Size, keep: Keep, cut: Cut): Size {
  if (keep === 'inline') return size
  if (keep === 'passed') return handedOn(size, cut)
  const inside = (part: string | number): Cut => ({ ...cut, pointer: cut.pointer + 1 + bytesOfJson(part) })
  if (keep.items !== undefined) {
    const items = keep.items
    return listOf(size.mostItems, () => cutSize(size.item(), items, inside(10 ** INDEX_BYTES)))
  }
  const fields = Object.entries(keep.fields ?? {}).map(
    ([name, part]) => [name, cutSize(size.field(name), part, inside(name))] as const,
  )
  const parts = objectOf(new Map(fields))
  return { ...parts, bytes: add([parts.bytes, keep.whole ? handedOn(size, cut).bytes : 0]) }
}

/** What it is made of is no longer read. */
function handedOn({ bytes }: Size, { small, pointer }: Cut): Size {
  const most = Math.max(small, pointer)
  return ofBytes(Math.min(bytes ?? most, most))
}
