/**
 * What the store needs of a table: one item at a time, with conditions. Text, numbers, flags and sets only: all that has a
 * structure of its own is JSON text under our rules, so nothing depends on how an SDK marshals objects.
 */
export type Attribute = string | number | boolean | ReadonlySet<string> | ReadonlySet<number>
export interface Key {
  readonly pk: string
  readonly sk: string
}
export type Attributes = Readonly<Record<string, Attribute>>
export type Item = Key & Attributes

export type Condition =
  | { readonly kind: 'absent' | 'present'; readonly name: string }
  | { readonly kind: 'equals' | 'at-most'; readonly name: string; readonly value: string | number | boolean }
  /** The set has this many members. */
  | { readonly kind: 'members'; readonly name: string; readonly count: number }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }

export interface Change {
  readonly set?: Attributes
  /** Adds to sets; a set that is absent is made. */
  readonly add?: Readonly<Record<string, ReadonlySet<string> | ReadonlySet<number>>>
  /** Takes out of sets; a set that is left without members is absent. */
  readonly take?: Readonly<Record<string, ReadonlySet<string> | ReadonlySet<number>>>
  readonly remove?: readonly string[]
}

export interface Page {
  readonly items: readonly Item[]
  /** The sort key after which the next page begins; absent on the last page. */
  readonly after?: string
}

export interface Table {
  /** Strongly consistent only when asked. */
  get(key: Key, options: { readonly consistent: boolean }): Promise<Item | undefined>
  /** Items of one partition with `from <= sk <= to`, in key order, one page of at most 1 MB. A chain of pages is no snapshot. */
  queryPage(query: {
    readonly pk: string
    readonly from: string
    readonly to: string
    readonly after?: string
    readonly consistent: boolean
  }): Promise<Page>
  /** Open runs of a shard that are due, oldest first. The index lags behind the table. */
  queryDue(query: {
    readonly shard: string
    readonly dueAt: number
    readonly limit: number
  }): Promise<readonly Item[]>
  /** Whether it was written; false when the condition refused it. */
  put(item: Item, condition?: Condition): Promise<boolean>
  /** The attributes that the change touched, as they are now; undefined when the condition refused it. */
  update(key: Key, change: Change, condition?: Condition): Promise<Attributes | undefined>
}

export const absent = (name: string): Condition => ({ kind: 'absent', name })
export const present = (name: string): Condition => ({ kind: 'present', name })
export const equals = (name: string, value: string | number | boolean): Condition => ({
  kind: 'equals',
  name,
  value,
})
export const atMost = (name: string, value: number): Condition => ({ kind: 'at-most', name, value })
export const members = (name: string, count: number): Condition =>
  count === 0 ? absent(name) : { kind: 'members', name, count }
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of })
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of })
