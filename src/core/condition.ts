import type { Reference } from './reference.ts'

declare const condition: unique symbol

/** What a branch is taken for. Not a value: only `choose`, `repeat`, `and`, `or` and `not` take it. */
export interface Condition {
  readonly [condition]: true
}

// Kept beside the objects, so that a condition has no fields that anyone could read.
const conditions = new WeakMap<object, Reference>()

export function createCondition(reference: Reference): Condition {
  const made = Object.freeze(Object.create(null))
  conditions.set(made, reference)
  return made as Condition // the phantom field exists for the compiler alone
}

/** What stands behind a condition, or undefined for what is none. */
export function conditionOf(value: unknown): Reference | undefined {
  return typeof value === 'object' && value !== null ? conditions.get(value) : undefined
}
