import { DefinitionError } from './errors.ts'
import type { Expression } from './expression.ts'

/** What a reference stands for lives behind a symbol, so no field of the data can collide with it. */
declare const type: unique symbol

/** What functions take: inference goes through this plain interface, never through the conditional `Ref`. */
export interface RefTo<out T> {
  readonly [type]: T
}

type Leaf = string | number | boolean | bigint | null | undefined | Date

/** A step's result, or a part of it, known when the machine runs. Its fields are references too. */
export type Ref<T> = RefTo<T> & Parts<T>
// `[T] extends`: a value that may be absent has no fields.
type Parts<T> = [T] extends [Leaf]
  ? unknown
  : [T] extends [readonly unknown[]]
    ? { readonly length: Ref<number> }
    : [T] extends [object]
      ? { readonly [K in keyof T]-?: Ref<T[K] | (undefined extends T[K] ? undefined : never)> }
      : unknown

/** What may stand where a `T` is wanted: a reference to one, or a value built of values and references. */
export type Arg<T> = RefTo<T> | Literal<T>
type Literal<T> = T extends Leaf
  ? T
  : T extends readonly (infer E)[]
    ? readonly Arg<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Arg<T[K]> }
      : T

/** The data behind a value built of references. */
export type Resolved<A> =
  A extends RefTo<infer T>
    ? T
    : A extends Leaf
      ? A
      : A extends object
        ? { -readonly [K in keyof A]: Resolved<A[K]> }
        : A

/** Where a reference may be used: in the plan that made it and, if a body or a branch made it, until that ends. */
export interface Scope {
  readonly doer: string
  /** For messages: `map "statuses"`, `the branch "a" of parallel "both"`; absent outside them. */
  readonly within?: string
  readonly isOpen: () => boolean
  readonly isPlanOver: () => boolean
}

/** What the run-time side of a reference knows of itself. */
export interface Reference {
  readonly expression: Expression
  /** Of all that the expression reads. */
  readonly scopes: readonly Scope[]
  /** For messages: `"list orders".orders`. */
  readonly label: string
}

// Kept beside the proxies, so that no property of a reference is anything but a field of the data.
const references = new WeakMap<object, Reference>()

/** Makes a reference. Whoever calls it vouches for `T`. */
export function createReference<T>(reference: Reference): Ref<T> {
  const proxy = new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, key) => (typeof key === 'string' ? fieldOf(reference, key) : symbolOf(reference, key)),
    has: () => misused(reference, 'searched with "in"'),
    ownKeys: () => misused(reference, 'spread or listed'),
    set: () => misused(reference, 'changed'),
    getPrototypeOf: () => null,
  })
  references.set(proxy, reference)
  // The fields that `Ref<T>` promises are what the `get` trap answers.
  return proxy as Ref<T>
}

/** The reference behind a value, or undefined if it is none. */
export function referenceOf(value: unknown): Reference | undefined {
  return typeof value === 'object' && value !== null ? references.get(value) : undefined
}

function fieldOf(reference: Reference, key: string): unknown {
  if (reference.scopes.some(({ isPlanOver }) => isPlanOver())) return usedTooLate(reference)
  if (key === 'toJSON') return misused(reference, 'turned into JSON')
  if (key === 'toString' || key === 'valueOf' || key === 'toLocaleString')
    return misused(reference, 'turned into text')
  return createReference({
    ...reference,
    expression: { kind: 'field', of: reference.expression, name: key },
    label: `${reference.label}.${key}`,
  })
}

function usedTooLate({ scopes, label }: Reference): never {
  throw new DefinitionError(
    `doer "${scopes[0]?.doer}": the reference ${label} was used after the plan had returned; ` +
      'code gets values for the references among its inputs',
  )
}

function symbolOf(reference: Reference, key: symbol): unknown {
  if (key === Symbol.toPrimitive)
    return (hint: 'string' | 'number' | 'default') =>
      misused(reference, hint === 'string' ? 'turned into text' : 'used in arithmetic, a comparison or text')
  if (key === Symbol.iterator || key === Symbol.asyncIterator) return misused(reference, 'iterated or spread')
  return undefined
}

function misused({ scopes, label }: Reference, how: string): never {
  throw new DefinitionError(
    `doer "${scopes[0]?.doer}": the reference ${label} was ${how}, but its value is known only when the machine runs; ` +
      'pass the reference itself, compute with add, size, text and the like, decide with d.choose, or let a tool do it',
  )
}
