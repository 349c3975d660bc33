import { largestOf } from '../largest-of.ts'
import { once, remembered } from '../remembered.ts'

/** What is known before a run about a value of it. */
export interface Shape {
  /** `mixed`: a list in some members of a union. */
  readonly isList: boolean | 'mixed'
  /** It is a reference to a list that is kept as an artifact. `mixed`: in some members of a union. */
  readonly isArtifact: boolean | 'mixed'
  readonly mayBeAbsent: boolean
  /** Of a value that can be told before a run. */
  readonly constant?: unknown
  /** What it may be one of. */
  readonly members?: readonly Shape[]
  /** Where it stands, there is null or no value at all: it says nothing about what else may stand there. */
  readonly isNothing: boolean
  /** Of a list: how many items it may have, where that is known. */
  readonly mostItems?: number | undefined
  field(name: string): Shape
  /** Of an item of the list, or of the list that the artifact stands for. */
  item(): Shape
}

export const SCALAR: Shape = {
  isList: false,
  isArtifact: false,
  mayBeAbsent: false,
  isNothing: false,
  field: () => ABSENT,
  item: () => ABSENT,
}
export const NULL: Shape = { ...SCALAR, isNothing: true }
export const ABSENT: Shape = { ...NULL, mayBeAbsent: true }

/** JSON has a value in each place of a list. */
export function listOf(item: () => Shape, mostItems?: number): Shape {
  const present = (): Shape => ({ ...item(), mayBeAbsent: false })
  return { ...SCALAR, isList: true, mostItems, field: () => SCALAR, item: once(present) }
}

/** What a repeat comes to has lists that may have become longer with each time. */
export function ofAnySize(shape: Shape): Shape {
  return {
    ...shape,
    mostItems: undefined,
    field: remembered((name) => ofAnySize(shape.field(name))),
    item: once(() => ofAnySize(shape.item())),
  }
}

export function objectOf(field: (name: string) => Shape): Shape {
  return { ...SCALAR, field: remembered(field) }
}

export function union(members: readonly Shape[]): Shape {
  const mayBeAbsent = members.length === 0 || members.some((member) => member.mayBeAbsent)
  const values = members.filter(({ isNothing }) => !isNothing)
  if (values.length === 0) return { ...NULL, mayBeAbsent }
  return {
    members: values,
    isList: inAll(values.map(({ isList }) => isList)),
    isArtifact: inAll(values.map(({ isArtifact }) => isArtifact)),
    mayBeAbsent,
    isNothing: false,
    mostItems: largestOf(values.filter(({ isList }) => isList !== false).map(({ mostItems }) => mostItems)),
    field: remembered((name) => union(values.map((value) => value.field(name)))),
    item: once(() => union(values.map((value) => value.item()))),
  }
}

/** What of a union has this value at its tag, `true` or `false` for one that is no text. */
export function memberOf(
  shape: Shape,
  { tag, value }: { readonly tag: string; readonly value: string },
): Shape {
  if (shape.members === undefined) return shape
  const members = shape.members.map((member) => memberOf(member, { tag, value }))
  const mayHave = ({ constant, mayBeAbsent }: Shape) =>
    constant === undefined ? !mayBeAbsent : String(constant) === value
  return union(members.filter((member) => mayHave(member.field(tag))))
}

function inAll(members: readonly (boolean | 'mixed')[]): boolean | 'mixed' {
  if (members.every((member) => member === true)) return true
  return members.some((member) => member !== false) ? 'mixed' : false
}
