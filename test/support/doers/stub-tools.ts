import { add, doer, listArtifact, orElse, size, tool } from 'turnwise'
import * as z from 'zod'
import { comparable, KeptList } from './kept-list.ts'
import { PlanFailed } from './plan-failed.ts'

const Part = z.object({ label: z.string(), n: z.number() })
const Row = z.object({ id: z.number(), parts: z.array(Part), note: z.string().optional() })
/** What a row has that is not there. */
export const NO_ROW = { id: 0, parts: [{ label: 'none', n: 0 }] }
export type Row = z.output<typeof Row>

/** What a step gives, large enough that it is read in many ways. */
export const Given = z.object({
  n: z.number(),
  parity: z.enum(['even', 'odd']),
  list: z.array(z.number()),
  rows: z.array(Row),
  best: Row.optional(),
  more: z.array(z.number()).optional(),
  spare: z.array(z.number()).nullable(),
  note: z.string().optional(),
})
export type Given = z.output<typeof Given>

const unused = () => {
  throw new Error('Stubs are run by runStub')
}
const OfNumber = z.object({ n: z.number() })
const computing = { description: 'Computes', readOnly: true, input: OfNumber } as const

/** Gives other numbers for a number. */
export const safe = tool({ name: 'safe', ...computing, output: Given }).run(unused)
/** The same, but for some numbers it finds nothing. */
export const risky = tool({ name: 'risky', ...computing, output: Given }).run(unused)
/** The same, but for most numbers it fails once or several times before it does. */
export const flaky = tool({ name: 'flaky', ...computing, output: Given }).run(unused)
/** Keeps a list of numbers. */
export const numberKeeper = tool({
  name: 'number_keeper',
  ...computing,
  output: z.object({ kept: listArtifact(z.number()) }),
}).run(unused)
/** Keeps a list of objects. */
export const rowKeeper = tool({
  name: 'row_keeper',
  ...computing,
  output: z.object({ kept: listArtifact(Row), n: z.number() }),
}).run(unused)
/** Keeps a list of numbers, but for some numbers none. */
export const maybeKeeper = tool({
  name: 'maybe_keeper',
  ...computing,
  output: z.object({ kept: listArtifact(z.number()).nullable() }),
}).run(unused)
/** Gives what it is given. */
export const echo = tool({
  name: 'echo',
  description: 'Computes',
  readOnly: true,
  input: z.object({ any: z.unknown() }),
  output: z.object({ any: z.unknown(), n: z.number() }),
}).run(unused)
/** Fails where `risky` does. */
export const helper = doer({ name: 'helper', description: 'Computes', input: OfNumber, output: Given }).plan(
  (d, { n }) => {
    const { list, parity, rows, note } = d.step('first', risky, { n })
    const again = d.step('second', safe, { n: add(n, size(list)) })
    return { n: again.n, parity, list: again.list, rows, spare: again.spare, note: orElse(note, 'none') }
  },
)

/** What code of a doer's own does with what it is given. */
export function compute({
  n,
  whole,
  list,
}: {
  n: number
  whole: Given
  list: { readonly size: number }
}): Given {
  const rest = restOf(n + whole.list.length + list.size)
  if (rest === 5) throw new PlanFailed('NotFound', `code finds nothing for ${n}`)
  return { ...givenFor(rest), rows: whole.rows }
}

const LONGEST_LIST = 3

/** What the tools do for an input, each the same each time; `attempt`: which try of the step it is, from 0. */
export function runStub(name: string, input: unknown, attempt: number): unknown {
  if (name === 'echo') {
    const { any } = z.object({ any: z.unknown() }).parse(input)
    return { any, n: JSON.stringify(comparable(any)).length % 10 }
  }
  const { n } = OfNumber.parse(input)
  const rest = restOf(n)
  switch (name) {
    case 'number_keeper':
      return { kept: new KeptList(numbersFor(rest)) }
    case 'maybe_keeper':
      return { kept: rest % 2 === 0 ? null : new KeptList(numbersFor(rest)) }
    case 'row_keeper':
      return { kept: new KeptList(rowsFor(rest)), n: rest }
    case 'risky':
      if (rest === 3) throw new PlanFailed('NotFound', `nothing for ${n}`)
      return givenFor(rest)
    case 'flaky':
      if (attempt < (FAILURES[rest] ?? 0))
        throw new PlanFailed(rest > 3 && attempt === 1 ? 'ExternalService' : 'Throttled', `not yet ${n}`)
      return givenFor(rest)
    case 'safe':
      return givenFor(rest)
    default:
      throw new Error(`There is no tool ${name}`)
  }
}

/** How often `flaky` fails. */
const FAILURES = [0, 1, 2, 1, 2, 3, 9]

/** 0 to 6. */
const restOf = (n: number): number => ((n % 7) + 7) % 7

export function givenFor(rest: number): Given {
  const rows = rowsFor((rest * 3) % 7)
  return {
    n: rest + 1,
    parity: rest % 2 === 0 ? 'even' : 'odd',
    list: numbersFor(rest),
    rows,
    spare: rest % 3 === 2 ? null : numbersFor(rest + 2),
    ...(rest % 4 === 1 ? { best: rows[0] ?? { id: rest, parts: [] } } : {}),
    ...(rest % 3 === 1 ? { more: numbersFor(6 - rest) } : {}),
    ...(rest % 3 === 0 ? {} : { note: 'x'.repeat(rest) }),
  }
}

const numbersFor = (rest: number): number[] =>
  Array.from({ length: rest % (LONGEST_LIST + 1) }, (_, index) => rest * 10 + index)

const rowsFor = (rest: number): Row[] =>
  numbersFor(rest).map((id, index) => ({
    id,
    parts: numbersFor(index + rest + 1).map((n) => ({ label: `part ${n}`, n })),
    ...(index === 1 ? {} : { note: `row ${id}` }),
  }))
