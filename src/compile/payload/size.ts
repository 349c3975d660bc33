import { largestOf } from '../largest-of.ts'
import { once, remembered } from '../remembered.ts'

/** How large a value may become as JSON. */
export interface Size {
  /** Bytes of UTF-8; undefined where nothing says. */
  readonly bytes: number | undefined
  /** Of a list, where something says. */
  readonly mostItems?: number | undefined
  field(name: string): Size
  item(): Size
}

export const UNKNOWN: Size = { bytes: undefined, field: () => UNKNOWN, item: () => UNKNOWN }

/** A value without parts. */
export const ofBytes = (bytes: number): Size => ({ ...UNKNOWN, bytes })

/** `-1.7976931348623157e+308`. */
export const NUMBER = ofBytes(24)
export const BOOLEAN = ofBytes(5)
export const NULL = ofBytes(4)

/**
 * Of a text of so many UTF-16 units: three bytes for each and the quotes. Control characters, which JSON writes in six, are not
 * reckoned with.
 */
export const textOf = (length: number): Size => ofBytes(3 * length + 2)

export const bytesOfJson = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** An object of these fields, each of which may be there. */
export function objectOf(fields: ReadonlyMap<string, Size>): Size {
  const members = [...fields].map(([name, { bytes }]) => add([bytesOfJson(name) + 1, bytes]))
  return {
    ...UNKNOWN,
    bytes: add([around(fields.size), ...members]),
    field: (name) => fields.get(name) ?? UNKNOWN,
  }
}

/** A list of at most so many items of one size. */
export function listOf(most: number | undefined, item: () => Size): Size {
  const { bytes } = most === 0 ? NULL : item()
  return {
    ...UNKNOWN,
    bytes: most === undefined || bytes === undefined ? undefined : around(most) + most * bytes,
    mostItems: most,
    item,
  }
}

/** Brackets, and commas between so many. */
const around = (count: number): number => 2 + Math.max(0, count - 1)

/** What is one of these. */
export function largest(sizes: readonly Size[]): Size {
  return {
    bytes: largestOf(sizes.map((size) => size.bytes)),
    mostItems: largestOf(sizes.map((size) => size.mostItems)),
    field: remembered((name) => largest(sizes.map((size) => size.field(name)))),
    item: once(() => largest(sizes.map((size) => size.item()))),
  }
}

/** Undefined where one of them is. */
export function add(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((all, part) => (all === undefined || part === undefined ? undefined : all + part), 0)
}
