import { Internal, InvalidInput } from './errors.ts'

/**
 * The one serialiser of what tools return and what is stored: the text that a model reads is the text in the table. A value that
 * JSON would change silently is refused with an `Internal` that names its path, so `JSON.parse(toJsonText(v))` equals `v` but for
 * absent properties: a property that is `undefined` is left out, and `undefined` itself is `null`. Lone surrogates are escaped and come back.
 */
export function toJsonText(value: unknown, what: string): string {
  refuseUnfaithful(value, '$', what, new Set())
  return JSON.stringify(value ?? null)
}

/**
 * JSON text that a model or a client wrote → value. A whole number that a double cannot hold exactly is refused with an `InvalidInput`
 * that says where it stands and how to pass it; text that is not JSON throws a `SyntaxError`.
 */
export function parseExactJson(text: string): unknown {
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

function isInexact(value: number, source: string): boolean {
  return !Number.isFinite(value) || (/^-?\d+$/.test(source) && !Number.isSafeInteger(value))
}

function refuseUnfaithful(value: unknown, path: string, what: string, above: ReadonlySet<unknown>): void {
  const problem = above.has(value) ? CIRCLE : problemOf(value)
  if (problem)
    throw new Internal(
      `${what} has ${problem.found} at ${path}, which JSON cannot hold; return ${problem.instead}`,
    )
  if (typeof value !== 'object' || value === null) return
  const within = new Set(above).add(value)
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) refuseUnfaithful(item, `${path}.${key}`, what, within)
    return
  }
  // By index and not by entries: a hole in a list is an undefined, too, and would shift what follows.
  for (const [index, item] of value.entries())
    refuseUnfaithful(item === undefined ? IN_LIST : item, `${path}[${index}]`, what, within)
}

interface Problem {
  readonly found: string
  readonly instead: string
}

const CIRCLE: Problem = { found: 'a circle', instead: 'data that does not contain itself' }
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
      return value === null || isPlain(value) ? undefined : describeInstance(value)
    default:
      return undefined
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function describeInstance(value: object): Problem {
  const kind = value.constructor.name || 'class instance'
  return {
    found: `a ${kind}`,
    instead: value instanceof Date ? 'toISOString()' : 'plain objects, lists and text',
  }
}
