/** A value that is JSON by itself: no list and no object. NaN and the infinities are not. */
export function isJsonScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** An object that has nothing but its fields. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What a value is that JSON cannot carry, for messages: `a Date`. */
export function describeNonJson(value: unknown): string {
  if (value instanceof Promise) return 'a promise (a plan is not async: steps give references at once)'
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}
