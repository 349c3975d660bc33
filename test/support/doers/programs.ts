import fc from 'fast-check'
import type { FailureName } from '../../../src/core/errors.ts'

/** A number in a plan: of those that are in reach the one at `index`, changed or not, or one that is found in a step's result. */
export interface NumberChoice {
  readonly index: number
  readonly change: (typeof CHANGES)[number]
}
const CHANGES = [
  'none',
  'none',
  'none',
  'add',
  'subtract',
  'multiply',
  'text',
  'field',
  'first item',
  'part of a row',
  'best row',
  'more',
  'spare',
  'size of a kept list',
] as const

/** Which parts of what came of something are handed on, and whether it is as a whole; a bit for each. */
export type Shown = number

export type Program = readonly Statement[]
export type Statement =
  | StepStatement
  | CodeStatement
  | EchoStatement
  | KeepStatement
  | MapStatement
  | MapKeptStatement
  | ParallelStatement
  | ChooseStatement
  | MatchStatement
  | WhenPresentStatement
  | RepeatStatement
  | RecoverStatement
  | { readonly kind: 'fail'; readonly n: NumberChoice }
  | { readonly kind: 'wait' }

export interface Retry {
  readonly on: readonly FailureName[]
  readonly attempts: number
}
export interface StepStatement {
  readonly kind: 'step'
  readonly callable: 'safe' | 'risky' | 'flaky' | 'helper'
  readonly n: NumberChoice
  readonly retry: Retry | undefined
  readonly shown: Shown
}
export interface CodeStatement {
  readonly kind: 'code'
  readonly n: NumberChoice
  readonly index: number
  readonly shown: Shown
}
/** A step that gives what it is given. */
export interface EchoStatement {
  readonly kind: 'echo'
  readonly of: 'whole' | 'rows' | 'list' | 'number'
  readonly n: NumberChoice
}
/** A step that keeps a list as an artifact. */
export interface KeepStatement {
  readonly kind: 'keep'
  readonly of: 'numbers' | 'rows' | 'maybe'
  readonly n: NumberChoice
}
interface Mapping {
  readonly body: Program
  readonly tolerate: 'all' | number | undefined
  readonly concurrency: number
  /** How long it says its list may be, which the schema does not. */
  readonly atMost: number | undefined
  readonly shown: Shown
}
export interface MapStatement extends Mapping {
  readonly kind: 'map'
  readonly over: 'list' | 'rows' | 'more' | 'spare'
  readonly n: NumberChoice
}
/** A map over the list artifact at `index`. */
export interface MapKeptStatement extends Mapping {
  readonly kind: 'mapKept'
  readonly index: number
  readonly reads: 'nothing' | 'the item as a whole' | 'parts of the item'
}
export interface ParallelStatement {
  readonly kind: 'parallel'
  readonly branches: readonly Program[]
  readonly shown: Shown
}
export interface ChooseStatement {
  readonly kind: 'choose'
  readonly when: NumberChoice
  readonly how: number
  readonly yes: Program
  readonly otherwise: Program
  readonly shown: Shown
}
export interface MatchStatement {
  readonly kind: 'match'
  readonly n: NumberChoice
  readonly even: Program
  readonly odd: Program
  readonly shown: Shown
}
export interface WhenPresentStatement {
  readonly kind: 'whenPresent'
  readonly of: 'note' | 'best' | 'more' | 'row' | 'spare'
  readonly index: number
  readonly yes: Program
  readonly otherwise: Program
  readonly shown: Shown
}
export interface RepeatStatement {
  readonly kind: 'repeat'
  readonly n: NumberChoice
  readonly max: number
  readonly until: 'large' | 'even'
  readonly body: Program
  readonly shown: Shown
}
export interface RecoverStatement {
  readonly kind: 'recover'
  readonly on: readonly FailureName[]
  readonly body: Program
  readonly handler: Program
  readonly shown: Shown
}

const n: fc.Arbitrary<NumberChoice> = fc.record({ index: fc.nat(9), change: fc.constantFrom(...CHANGES) })
const index = fc.nat(9)
const shown: fc.Arbitrary<Shown> = fc.oneof(fc.constant(0), fc.nat(255))
const failures = fc.uniqueArray(
  fc.constantFrom<FailureName[]>('NotFound', 'NotFound', 'Throttled', 'ExternalService', 'Internal'),
  { minLength: 1, maxLength: 3 },
)
const retry: fc.Arbitrary<Retry | undefined> = fc.option(
  fc.record({ on: failures, attempts: fc.integer({ min: 1, max: 3 }) }),
  { nil: undefined, freq: 2 },
)
const mapping = {
  tolerate: fc.constantFrom<MapStatement['tolerate'][]>(undefined, undefined, 'all', 0, 1),
  concurrency: fc.integer({ min: 1, max: 4 }),
  atMost: fc.constantFrom(undefined, undefined, 2, 3, 3),
  shown,
}

const reads = fc.constantFrom<MapKeptStatement['reads'][]>(
  'nothing',
  'the item as a whole',
  'parts of the item',
)
const over = fc.constantFrom<MapStatement['over'][]>('list', 'rows', 'more', 'spare')
const optional = fc.constantFrom<WhenPresentStatement['of'][]>('note', 'best', 'more', 'row', 'spare')
const until = fc.constantFrom<RepeatStatement['until'][]>('large', 'even')

const simple = [
  {
    weight: 4,
    arbitrary: fc.record<StepStatement>({
      kind: fc.constant('step'),
      callable: fc.constantFrom('safe', 'risky', 'flaky', 'flaky', 'helper'),
      n,
      retry,
      shown,
    }),
  },
  { weight: 2, arbitrary: fc.record<CodeStatement>({ kind: fc.constant('code'), n, index, shown }) },
  {
    weight: 2,
    arbitrary: fc.record<EchoStatement>({
      kind: fc.constant('echo'),
      of: fc.constantFrom('whole', 'rows', 'list', 'number'),
      n,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record<KeepStatement>({
      kind: fc.constant('keep'),
      of: fc.constantFrom('numbers', 'rows', 'rows', 'maybe'),
      n,
    }),
  },
  { weight: 1, arbitrary: fc.record<Statement>({ kind: fc.constant('wait') }) },
  { weight: 1, arbitrary: fc.record<Statement>({ kind: fc.constant('fail'), n }) },
]

const { statement } = fc.letrec<{ program: Program; statement: Statement }>((tie) => {
  const body = tie('program')
  return {
    program: fc.array(tie('statement'), { maxLength: 4, depthIdentifier: 'depth' }),
    statement: fc.oneof(
      { depthSize: 'medium', maxDepth: 3, depthIdentifier: 'depth' },
      ...simple,
      {
        weight: 3,
        arbitrary: fc.record<MapStatement>({ kind: fc.constant('map'), over, n, body, ...mapping }),
      },
      {
        weight: 8,
        arbitrary: fc.record<MapKeptStatement>({
          kind: fc.constant('mapKept'),
          index,
          reads,
          body,
          ...mapping,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record<ParallelStatement>({
          kind: fc.constant('parallel'),
          branches: fc.array(body, { minLength: 1, maxLength: 3 }),
          shown,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record<ChooseStatement>({
          kind: fc.constant('choose'),
          when: n,
          how: fc.constantFrom(0, 1, 2, 3, 4, 4, 5, 6, 7),
          yes: body,
          otherwise: body,
          shown,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record<MatchStatement>({ kind: fc.constant('match'), n, even: body, odd: body, shown }),
      },
      {
        weight: 2,
        arbitrary: fc.record<WhenPresentStatement>({
          kind: fc.constant('whenPresent'),
          of: optional,
          index,
          yes: body,
          otherwise: body,
          shown,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record<RepeatStatement>({
          kind: fc.constant('repeat'),
          n,
          max: fc.integer({ min: 1, max: 3 }),
          until,
          body,
          shown,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record<RecoverStatement>({
          kind: fc.constant('recover'),
          on: failures,
          body,
          handler: body,
          shown,
        }),
      },
    ) as fc.Arbitrary<Statement>, // each record is one of its members
  }
})

/** Programs of every construct of the language. */
export const program: fc.Arbitrary<Program> = fc.array(statement, { minLength: 2, maxLength: 5, size: 'max' })
