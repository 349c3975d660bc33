import type { ListArtifact, Plan, Ref } from 'turnwise'
import { type InReach, type Made, partsOf, partsOfMade } from './in-reach.ts'
import type { Names } from './names.ts'
import type { Program, Shown } from './programs.ts'
import type { Given } from './stub-tools.ts'

/** What a block gives, of references. */
export interface Written {
  readonly n: Ref<number>
  readonly whole: Ref<Given>
  readonly list: Ref<ListArtifact<number>>
  readonly all: readonly unknown[]
}

/** What a statement is written with. */
export interface Writing {
  readonly d: Plan
  readonly name: Names
  readonly reach: InReach
  /** Writes a block with more in reach. */
  inner(body: Program, added?: Partial<InReach>): Written
}

/** What comes of a statement: what it puts in reach, and what is handed on of it. */
export interface Came {
  readonly added?: Partial<InReach>
  readonly shown?: unknown
}

/** Of a step. */
export function cameOf(given: Ref<Given>, shown: Shown): Came {
  return { added: { numbers: [given.n], wholes: [given] }, shown: partsOf(given, shown) }
}

/** Of a block. */
export function cameOfMade(made: Ref<Made>, shown: Shown): Came {
  return { added: reachOfMade(made), shown: partsOfMade(made, shown) }
}

export function reachOfMade({ n, whole, list }: Ref<Made>): Partial<InReach> {
  return { numbers: [n], wholes: [whole], lists: [list], kept: [{ of: 'numbers', list }] }
}
