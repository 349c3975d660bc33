import {
  add,
  and,
  at,
  type Condition,
  contains,
  eq,
  gt,
  isPresent,
  type ListArtifact,
  lte,
  multiply,
  not,
  or,
  orElse,
  type Ref,
  size,
  subtract,
  text,
} from 'turnwise'
import type { NumberChoice, Shown } from './programs.ts'
import { type Given, NO_ROW, type Row } from './stub-tools.ts'

/** What a block gives: its last number, step's result and kept list, and what came of its statements. */
export interface Made {
  readonly n: number
  readonly whole: Given
  readonly list: ListArtifact<number>
  readonly all: readonly unknown[]
}

/** A list artifact, by what its items are; `settled`: of a map that tolerates failures. */
export type Kept =
  | { readonly of: 'numbers'; readonly list: Ref<ListArtifact<number>> }
  | { readonly of: 'rows'; readonly list: Ref<ListArtifact<Row>> }
  | { readonly of: 'made'; readonly list: Ref<ListArtifact<Made>> }
  | { readonly of: 'settled'; readonly list: Ref<ListArtifact<SettledMade>> }

/** `Settled<Made>`, as references can be made to its parts. */
export interface SettledMade {
  readonly ok: boolean
  readonly value?: Made | undefined
}

/** What a statement may use. None of the lists is empty. */
export interface InReach {
  readonly numbers: readonly Ref<number>[]
  readonly wholes: readonly Ref<Given>[]
  readonly lists: readonly Ref<ListArtifact<number>>[]
  readonly kept: readonly Kept[]
}

export const reachWith = (outer: InReach, added: Partial<InReach>): InReach => ({
  numbers: [...outer.numbers, ...(added.numbers ?? [])],
  wholes: [...outer.wholes, ...(added.wholes ?? [])],
  lists: [...outer.lists, ...(added.lists ?? [])],
  kept: [...outer.kept, ...(added.kept ?? [])],
})

/** One of what is in reach, counted from the last. */
export function oneOf<T>(all: readonly T[], index: number): T {
  return all[all.length - 1 - (index % all.length)] as T // none of the lists is empty
}

export function pickNumber(
  { numbers, wholes, lists }: InReach,
  { index, change }: NumberChoice,
): Ref<number> {
  const one = oneOf(numbers, index)
  const whole = oneOf(wholes, index)
  switch (change) {
    case 'none':
      return one
    case 'add':
      return add(one, 2)
    case 'subtract':
      return subtract(one, oneOf(numbers, index + 1))
    case 'multiply':
      return multiply(3, one)
    case 'text':
      return size(text`<${one}> and ${oneOf(numbers, index + 1)}`)
    case 'field':
      return whole.n
    case 'first item':
      return orElse(at(whole.list, 0), 5)
    case 'part of a row':
      return partOfRow(orElse(at(whole.rows, index % 2), NO_ROW))
    case 'best row':
      return add(orElse(whole.best, NO_ROW).id, size(orElse(whole.best, NO_ROW).parts))
    case 'more':
      return add(size(orElse(whole.more, [])), orElse(at(orElse(whole.more, [4]), 0), 3))
    case 'spare':
      return add(size(orElse(whole.spare, [])), orElse(at(orElse(whole.spare, [4]), 1), 3))
    case 'size of a kept list':
      return add(oneOf(lists, index).size, 1)
  }
}

const partOfRow = (row: Ref<Row>): Ref<number> => orElse(at(row.parts, 0), { label: 'no part', n: 2 }).n

/** What a row puts in reach. */
export const numbersOfRow = (row: Ref<Row>): Ref<number>[] => [row.id, partOfRow(row)]

export function conditionOf(reach: InReach, when: NumberChoice, how: number): Condition {
  const n = pickNumber(reach, when)
  const whole = oneOf(reach.wholes, when.index)
  switch (how) {
    case 0:
      return gt(n, 3)
    case 1:
      return or(eq(n, 2), eq(n, 4), eq(whole.parity, 'odd'))
    case 2:
      return and(isPresent(n), not(lte(n, 2)))
    case 3:
      return contains(text`${n}`, '1')
    case 4:
      return contains(whole.list, n)
    case 5:
      return contains(orElse(whole.note, 'none'), 'xx')
    case 6:
      return eq(orElse(at(whole.rows, 0), NO_ROW).note, 'row 10')
    default:
      return isPresent(whole.best)
  }
}

/** Parts of a step's result, by the bits of `shown`. */
export function partsOf(whole: Ref<Given>, shown: Shown): Readonly<Record<string, unknown>> {
  return chosen(shown, {
    whole,
    list: whole.list,
    note: orElse(whole.note, 'none'),
    first: orElse(at(whole.list, 0), -1),
    row: orElse(at(whole.rows, 1), NO_ROW),
    part: partOfRow(orElse(at(whole.rows, 0), NO_ROW)),
    best: orElse(whole.best, { ...NO_ROW, id: whole.n }),
    rest: { spare: whole.spare, parity: whole.parity, more: orElse(whole.more, [1, 2]), best: whole.best },
  })
}

/** Parts of what a block gave. */
export function partsOfMade(made: Ref<Made>, shown: Shown): Readonly<Record<string, unknown>> {
  return chosen(shown, {
    made,
    n: made.n,
    whole: made.whole,
    list: made.list,
    size: made.list.size,
    rows: made.whole.rows,
    note: orElse(made.whole.note, 'no note'),
    all: made.all,
  })
}

function chosen(shown: Shown, parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parts).filter((_, index) => (shown >> index) % 2 === 1))
}
