import type { Keep } from '../core/keep.ts'

/** A step down into a value: a field's name, or whichever item of a list. */
export type PathPart = string | typeof ITEM
export const ITEM: unique symbol = Symbol('item')

/** What is read of a value, while it is found out. */
export interface Reading {
  /** Notes that a part is read; `presence`: only that it is there. */
  note(path: readonly PathPart[], mode: ReadMode): void
  toKeep(): Keep
}
export type ReadMode = 'inline' | 'passed' | 'presence'

export function createReading(): Reading {
  let isInline = false
  let isPassed = false
  let items: Reading | undefined
  const fields = new Map<string, Reading>()
  const part = (name: PathPart): Reading => {
    if (name === ITEM) {
      items ??= createReading()
      return items
    }
    const field = fields.get(name) ?? createReading()
    fields.set(name, field)
    return field
  }
  return {
    note([first, ...rest], mode) {
      if (first !== undefined) part(first).note(rest, mode)
      else if (mode === 'inline') isInline = true
      else if (mode === 'passed') isPassed = true
    },
    toKeep() {
      if (isInline) return 'inline'
      if (isPassed && fields.size === 0 && items === undefined) return 'passed'
      // A list whose items are looked at stays a list, so what is handed on are its items.
      if (isPassed) items?.note([], 'passed')
      const kept = [...fields]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, field]) => [name, field.toKeep()])
      return {
        ...(isPassed && { whole: true }),
        ...(fields.size > 0 && { fields: Object.fromEntries(kept) }),
        ...(items !== undefined && { items: items.toKeep() }),
      }
    },
  }
}
