import { Internal, InvalidInput } from './errors.ts'

/** What nests deeper is refused on both ways, so whatever was read or kept can be walked again by anyone. */
const DEEPEST_NEST = 1_000

/**
 * The one serialiser of what tools return and what is stored: the text that a model reads is the text in the table. A value that
 * JSON would change silently is refused with an `Internal` that names its path, so `JSON.parse(toJsonText(v))` equals `v` but for
 * what has no place in JSON at all: a property that is `undefined` is left out, as are symbols as keys and names on lists;
 * `undefined` itself is `null`, and -0 is 0. Lone surrogates are escaped and come back. At most 1,000 objects and lists within each other.
 */
export function toJsonText(value: unknown, what: string): string {
  refuseUnfaithful(value, '$', what, new Set())
  return JSON.stringify(value ?? null)
}

/**
 * JSON text that a model or a client wrote → value. A number that would not come back as it was written (a whole number beyond 2^53, in
 * whatever notation; one too large or too small) is refused with an `InvalidInput` that says where it stands and how to pass it, as
 * is a nest deeper than 1,000; text that is not JSON throws a `SyntaxError`. Digits behind the point are rounded, as everywhere.
 */
export function parseExactJson(text: string): unknown {
  if (nestOf(text) > DEEPEST_NEST)
    throw new InvalidInput(
      `The JSON nests too deep; at most ${DEEPEST_NEST} objects and lists within each other`,
    )
  // TypeScript's library does not yet know the third argument (ECMAScript: JSON.parse source text access; Node 21 and later).
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ) => unknown
  return parse(text, (key, value, { source }) => {
    if (typeof value === 'number' && source !== undefined && isInexact(value, source))
      throw new InvalidInput(
        `${key === '' ? 'The value' : `"${key}"`} is ${source}, which no number holds exactly; pass it as text`,
      )
    return value
  })
}

/** How deep the brackets outside of texts go. */
function nestOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInText = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInText && character === '\\') index += 1
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth -= 1
  }
  return deepest
}

function isInexact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value)
  if (value === 0) return digitsOf(source) !== ''
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && digitsOf(source) !== digitsOf(String(value))
}

/** The digits of a number in decimal notation without its sign, point, exponent and outer zeros: of `-1.230e+40`, `123`. */
const digitsOf = (source: string): string =>
  source
    .replace(/[eE].*/, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '')

/** `above` has the objects and lists that the value stands in. */
function refuseUnfaithful(value: unknown, path: string, what: string, above: Set<unknown>): void {
  const problem = above.has(value) ? CIRCLE : (problemOf(value) ?? depthProblemOf(value, above.size))
  if (problem)
    throw new Internal(
      `${what} has ${problem.found} at ${shorten(path)}, which JSON cannot hold; return ${problem.instead}`,
    )
  if (typeof value !== 'object' || value === null) return
  above.add(value)
  // By index and not by entries: a hole in a list is an undefined, too, and would shift what follows.
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      refuseUnfaithful(item === undefined ? IN_LIST : item, `${path}[${index}]`, what, above)
  else for (const [key, item] of Object.entries(value)) refuseUnfaithful(item, `${path}.${key}`, what, above)
  above.delete(value)
}

const shorten = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)

interface Problem {
  readonly found: string
  readonly instead: string
}

const CIRCLE: Problem = { found: 'a circle', instead: 'data that does not contain itself' }
const TOO_DEEP: Problem = { found: `a nest of more than ${DEEPEST_NEST}`, instead: 'flatter data' }
/** Stands for an `undefined` in a list; as a property it is simply absent. */
const IN_LIST = Symbol('undefined')

function problemOf(value: unknown): Problem | undefined {
  switch (typeof value) {
    case 'bigint':
      return { found: `the BigInt ${value}`, instead: 'it as text' }
    case 'function':
      return { found: 'a function', instead: 'data' }
    case 'symbol':
      return value === IN_LIST
        ? { found: 'undefined', instead: 'null, or leave it out' }
        : { found: 'a symbol', instead: 'data' }
    case 'number':
      return Number.isFinite(value) ? undefined : { found: String(value), instead: 'null, or a number' }
    case 'object':
      if (value === null) return undefined
      if (!isPlain(value)) return describeInstance(value)
      return 'toJSON' in value && typeof value.toJSON === 'function'
        ? { found: 'a toJSON method', instead: 'what it gives' }
        : undefined
    default:
      return undefined
  }
}

const depthProblemOf = (value: unknown, depth: number): Problem | undefined =>
  depth >= DEEPEST_NEST && typeof value === 'object' && value !== null ? TOO_DEEP : undefined

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function describeInstance(value: object): Problem {
  const { constructor: maker }: { constructor?: unknown } = value
  const kind = (typeof maker === 'function' && maker.name) || 'class instance'
  return {
    found: `a ${kind}`,
    instead: value instanceof Date ? 'toISOString()' : 'plain objects, lists and text',
  }
}
