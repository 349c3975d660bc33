import fc from 'fast-check'
import {
  add,
  and,
  at,
  type Condition,
  contains,
  doer,
  eq,
  gt,
  isPresent,
  lte,
  multiply,
  not,
  or,
  orElse,
  type Plan,
  type Ref,
  size,
  subtract,
  text,
  tool,
} from 'turnwise'
import * as z from 'zod'
import type { Doer } from '../../../src/core/doer.ts'
import { PlanFailed, type RunStep } from './evaluate-plan.ts'

const output = z.object({
  n: z.number(),
  parity: z.enum(['even', 'odd']),
  list: z.array(z.number()),
  note: z.string().optional(),
})
const declaration = {
  description: 'Computes',
  readOnly: true,
  input: z.object({ n: z.number() }),
  output,
} as const
const unused = () => ({ n: 0, parity: 'even' as const, list: [] })

/** Gives other numbers for a number. */
const safe = tool({ name: 'safe', ...declaration }).run(unused)
/** The same, but for some numbers it finds nothing. */
const risky = tool({ name: 'risky', ...declaration }).run(unused)

const LONGEST_LIST = 3

/** What the two tools do. */
export const runStep: RunStep = (callable, input) => {
  const { n } = z.object({ n: z.number() }).parse(input)
  const rest = ((n % 7) + 7) % 7
  if (callable === 'risky' && rest === 3) throw new PlanFailed('NotFound', `nothing for ${n}`)
  return {
    n: rest + 1,
    parity: rest % 2 === 0 ? 'even' : 'odd',
    list: Array.from({ length: rest % (LONGEST_LIST + 1) }, (_, index) => rest * 10 + index),
    ...(rest % 3 === 0 ? {} : { note: 'x'.repeat(rest) }),
  }
}

/** A number in a plan: of those that are in reach the one at `index`, changed or not. */
interface NumberChoice {
  readonly index: number
  readonly change: 'none' | 'add' | 'subtract' | 'multiply' | 'text'
}

type Program = readonly Statement[]
type Statement =
  | { readonly kind: 'step'; readonly callable: 'safe' | 'risky'; readonly n: NumberChoice }
  | {
      readonly kind: 'map'
      readonly body: Program
      readonly n: NumberChoice
      readonly tolerate: boolean
      readonly concurrency: number
      /** Whether it says how long its list may be, which the schema does not. */
      readonly isBounded: boolean
    }
  | { readonly kind: 'parallel'; readonly branches: readonly Program[] }
  | {
      readonly kind: 'choose'
      readonly when: NumberChoice
      readonly how: number
      readonly yes: Program
      readonly otherwise: Program
    }
  | { readonly kind: 'match'; readonly n: NumberChoice; readonly even: Program; readonly odd: Program }
  | {
      readonly kind: 'whenPresent'
      readonly n: NumberChoice
      readonly yes: Program
      readonly otherwise: Program
    }
  | { readonly kind: 'repeat'; readonly n: NumberChoice; readonly max: number; readonly body: Program }
  | { readonly kind: 'recover'; readonly body: Program; readonly handler: Program }
  | { readonly kind: 'fail'; readonly n: NumberChoice }
  | { readonly kind: 'wait' }

const number: fc.Arbitrary<NumberChoice> = fc.record({
  index: fc.nat(9),
  change: fc.constantFrom('none', 'none', 'add', 'subtract', 'multiply', 'text'),
})

const { program } = fc.letrec<{ program: Program; statement: Statement }>((tie) => {
  const body = tie('program')
  return {
    program: fc.array(tie('statement'), { minLength: 1, maxLength: 4, depthIdentifier: 'depth' }),
    statement: fc.oneof(
      { depthSize: 'medium', maxDepth: 4, depthIdentifier: 'depth' },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('step'),
          callable: fc.constantFrom('safe', 'risky'),
          n: number,
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait') }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('map'),
          body,
          n: number,
          tolerate: fc.boolean(),
          concurrency: fc.integer({ min: 1, max: 4 }),
          isBounded: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('parallel'),
          branches: fc.array(body, { minLength: 1, maxLength: 3 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('choose'),
          when: number,
          how: fc.nat(4),
          yes: body,
          otherwise: body,
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('match'), n: number, even: body, odd: body }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('whenPresent'), n: number, yes: body, otherwise: body }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('repeat'),
          n: number,
          max: fc.integer({ min: 1, max: 3 }),
          body,
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('recover'), body, handler: body }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), n: number }) },
    ) as fc.Arbitrary<Statement>, // each record is one of its members
  }
})

/** Doers of every construct of the language, over the two tools; their input is `{ n }`. */
export const generatedDoer: fc.Arbitrary<Doer> = program.map((statements) =>
  doer({
    name: 'generated',
    description: 'Does what was generated',
    input: z.object({ n: z.number() }),
    output: z.unknown(),
  }).plan((d, input) => write(d, statements, [input.n], createNames())),
)

type Names = (kind: string) => string

function createNames(): Names {
  let last = 0
  return (kind) => {
    last += 1
    return `${kind} ${last}`
  }
}

/** Writes the statements; what they give is a list of all that came of them, its first number for whoever goes on. */
function write(
  d: Plan,
  statements: Program,
  outer: readonly Ref<number>[],
  name: Names,
): { n: Ref<number> | number; all: unknown[] } {
  const numbers = [...outer]
  const all: unknown[] = []
  const pick = ({ index, change }: NumberChoice): Ref<number> => {
    const one = numbers[index % numbers.length] as Ref<number> // there is always the input
    const other = numbers[(index + 1) % numbers.length] as Ref<number>
    switch (change) {
      case 'none':
        return one
      case 'add':
        return add(one, 2)
      case 'subtract':
        return subtract(one, other)
      case 'multiply':
        return multiply(3, one)
      case 'text':
        return size(text`<${one}> and ${other}`)
    }
  }
  const take = (value: Ref<number>, whole: unknown = value) => {
    numbers.push(value)
    all.push(whole)
  }
  const inner =
    (body: Program, added: readonly Ref<number>[] = []) =>
    () =>
      write(d, body, [...numbers, ...added], name)

  for (const statement of statements) {
    switch (statement.kind) {
      case 'step': {
        const given = d.step(name('step'), statement.callable === 'safe' ? safe : risky, {
          n: pick(statement.n),
        })
        // Handed on whole and in parts.
        take(given.n, {
          given,
          list: given.list,
          note: orElse(given.note, 'none'),
          first: orElse(at(given.list, 0), -1),
        })
        break
      }
      case 'map': {
        const { list } = d.step(name('list'), safe, { n: pick(statement.n) })
        const mapName = name('map')
        const body = (item: Ref<number>, index: Ref<number>) => inner(statement.body, [item, index])()
        const { concurrency, isBounded } = statement
        const options = { concurrency, ...(isBounded ? { atMost: LONGEST_LIST } : {}) }
        if (statement.tolerate) {
          const settled = d.map(mapName, list, body, { ...options, tolerate: 'all' })
          take(size(settled))
        } else take(size(list), d.map(mapName, list, body, options))
        break
      }
      case 'parallel': {
        const jobs = statement.branches.map((branch, index) => [`branch ${index}`, inner(branch)] as const)
        const given = d.parallel(name('parallel'), Object.fromEntries(jobs))
        take(numbers[0] as Ref<number>, { ...given })
        break
      }
      case 'choose': {
        const n = pick(statement.when)
        const given = d.choose(
          name('choose'),
          conditionOf(n, statement.how),
          inner(statement.yes),
          inner(statement.otherwise),
        )
        take(numbers[0] as Ref<number>, given)
        break
      }
      case 'match': {
        const { parity } = d.step(name('parity'), safe, { n: pick(statement.n) })
        const given = d.match(name('match'), parity, {
          even: inner(statement.even),
          odd: inner(statement.odd),
        })
        take(numbers[0] as Ref<number>, given)
        break
      }
      case 'whenPresent': {
        const { note } = d.step(name('note'), safe, { n: pick(statement.n) })
        const given = d.whenPresent(
          name('when'),
          note,
          (present) => inner(statement.yes, [size(present)])(),
          inner(statement.otherwise),
        )
        take(numbers[0] as Ref<number>, given)
        break
      }
      case 'repeat': {
        const given = d.repeat(
          name('repeat'),
          { from: { n: pick(statement.n) }, until: (state) => gt(state.n, 6), max: statement.max },
          (state) => {
            const { n } = inner(statement.body, [state.n])()
            return { n: add(n, 1) }
          },
        )
        take(given.n)
        break
      }
      case 'recover': {
        const given = d.recover(name('recover'), inner(statement.body), {
          on: ['NotFound'],
          with: (failure) => ({ name: failure.name, ...inner(statement.handler)() }),
        })
        take(numbers[0] as Ref<number>, given)
        break
      }
      case 'wait':
        d.wait(name('wait'), 0)
        break
      case 'fail':
        // Always, a plan would end here: only where the number is large.
        d.choose(
          name('choose'),
          gt(pick(statement.n), 5),
          () => d.fail(name('fail'), { name: 'NotFound', message: text`${pick(statement.n)} is too large` }),
          () => null,
        )
    }
  }
  return { n: numbers.at(-1) ?? 0, all }
}

function conditionOf(n: Ref<number>, how: number): Condition {
  switch (how) {
    case 0:
      return gt(n, 3)
    case 1:
      return or(eq(n, 2), eq(n, 4))
    case 2:
      return and(isPresent(n), not(lte(n, 2)))
    case 3:
      return contains(text`${n}`, '1')
    default:
      return eq(n, 1)
  }
}
