import { add, at, eq, gt, orElse, type Plan, type Ref, size, text } from 'turnwise'
import {
  conditionOf,
  type InReach,
  type Made,
  numbersOfRow,
  oneOf,
  pickNumber,
  reachWith,
} from './in-reach.ts'
import type { Names } from './names.ts'
import type { Program, Statement, WhenPresentStatement } from './programs.ts'
import {
  compute,
  echo,
  flaky,
  Given,
  helper,
  maybeKeeper,
  numberKeeper,
  risky,
  rowKeeper,
  safe,
} from './stub-tools.ts'
import { writeKeptMap, writeMap } from './write-map.ts'
import { type Came, cameOf, cameOfMade, type Writing, type Written } from './writing.ts'

const STEPS = { safe, risky, flaky, helper } as const

/** Writes a whole plan, which begins with a step and a list. */
export function writePlan(d: Plan, n: Ref<number>, program: Program, name: Names): Written {
  const whole = d.step(name('step'), safe, { n })
  const { kept: list } = d.step(name('keep'), numberKeeper, { n })
  return writeBlock(
    d,
    program,
    { numbers: [n], wholes: [whole], lists: [list], kept: [{ of: 'numbers', list }] },
    name,
  )
}

function writeBlock(d: Plan, program: Program, outer: InReach, name: Names): Written {
  let reach = outer
  const all: unknown[] = []
  const inner: Writing['inner'] = (body, added = {}) => writeBlock(d, body, reachWith(reach, added), name)
  for (const statement of program) {
    const { added = {}, shown } = writeStatement(statement, { d, name, reach, inner })
    reach = reachWith(reach, added)
    if (shown !== undefined) all.push(shown)
  }
  return { n: oneOf(reach.numbers, 0), whole: oneOf(reach.wholes, 0), list: oneOf(reach.lists, 0), all }
}

function writeStatement(statement: Statement, writing: Writing): Came {
  const { d, name, reach, inner } = writing
  const pick = (choice: Parameters<typeof pickNumber>[1]) => pickNumber(reach, choice)
  switch (statement.kind) {
    case 'step': {
      const { callable, retry, shown } = statement
      const input = { n: pick(statement.n) }
      const options = retry === undefined ? {} : { retry }
      return cameOf(d.step(name(callable), STEPS[callable], input, options), shown)
    }
    case 'code': {
      const inputs = {
        n: pick(statement.n),
        whole: oneOf(reach.wholes, statement.index),
        list: oneOf(reach.lists, 0),
      }
      return cameOf(d.code(name('code'), inputs, { output: Given, readOnly: true }, compute), statement.shown)
    }
    case 'echo': {
      const any = {
        whole: oneOf(reach.wholes, statement.n.index),
        rows: oneOf(reach.wholes, statement.n.index).rows,
        list: oneOf(reach.kept, statement.n.index).list,
        number: pick(statement.n),
      }[statement.of]
      const given = d.step(name('echo'), echo, { any })
      return { added: { numbers: [given.n] }, shown: given.any }
    }
    case 'keep': {
      const input = { n: pick(statement.n) }
      if (statement.of === 'rows') {
        const { kept: list, n } = d.step(name('keep'), rowKeeper, input)
        return { added: { numbers: [n], kept: [{ of: 'rows', list }] }, shown: list }
      }
      const list =
        statement.of === 'maybe'
          ? orElse(d.step(name('keep'), maybeKeeper, input).kept, oneOf(reach.lists, 0))
          : d.step(name('keep'), numberKeeper, input).kept
      return { added: { lists: [list], kept: [{ of: 'numbers', list }] } }
    }
    case 'map':
      return writeMap(statement, writing)
    case 'mapKept':
      return writeKeptMap(statement, writing)
    case 'parallel': {
      const jobs = statement.branches.map(
        (branch, index) => [`branch ${index}`, () => inner(branch)] as const,
      )
      const given = Object.values(d.parallel(name('parallel'), Object.fromEntries(jobs)))
      const came = given.map((made) => cameOfMade(made, statement.shown))
      return {
        added: came.reduce((all, { added = {} }) => reachWith(all, added), NOTHING),
        shown: came.map(({ shown }) => shown),
      }
    }
    case 'choose':
      return cameOfMade(
        d.choose(
          name('choose'),
          conditionOf(reach, statement.when, statement.how),
          () => inner(statement.yes),
          () => inner(statement.otherwise),
        ),
        statement.shown,
      )
    case 'match': {
      const { parity } = d.step(name('parity'), safe, { n: pick(statement.n) })
      const branches = { even: () => inner(statement.even), odd: () => inner(statement.odd) }
      return cameOfMade(d.match(name('match'), parity, branches), statement.shown)
    }
    case 'whenPresent':
      return cameOfMade(writeWhenPresent(statement, writing), statement.shown)
    case 'repeat': {
      const { until, max, body, shown } = statement
      const from = {
        n: pick(statement.n),
        whole: oneOf(reach.wholes, 0),
        list: oneOf(reach.lists, 0),
        all: [],
      }
      const given = d.repeat(
        name('repeat'),
        {
          from,
          until: (state) => (until === 'large' ? gt(state.n, 6) : eq(state.whole.parity, 'even')),
          max,
        },
        ({ n, whole, list }) => {
          const made = inner(body, {
            numbers: [n],
            wholes: [whole],
            lists: [list],
            kept: [{ of: 'numbers', list }],
          })
          return { ...made, n: add(made.n, 1), all: [] }
        },
      )
      return cameOfMade(given, shown)
    }
    case 'recover': {
      const given = d.recover(name('recover'), () => inner(statement.body), {
        on: statement.on,
        with: (failure) => {
          const made = inner(statement.handler)
          return { ...made, all: [failure.name, ...made.all] }
        },
      })
      return cameOfMade(given, statement.shown)
    }
    case 'wait':
      d.wait(name('wait'), 0)
      return {}
    case 'fail': {
      const n = pick(statement.n)
      // Always, a plan would end here: only where the number is large.
      d.choose(
        name('choose'),
        gt(n, 5),
        () => d.fail(name('fail'), { name: 'NotFound', message: text`${n} is too large` }),
        () => null,
      )
      return {}
    }
  }
}

const NOTHING: InReach = { numbers: [], wholes: [], lists: [], kept: [] }

function writeWhenPresent({ of, index, yes, otherwise }: WhenPresentStatement, writing: Writing): Ref<Made> {
  const { d, name, reach, inner } = writing
  const whole = oneOf(reach.wholes, index)
  const when = name('when')
  const without = () => inner(otherwise)
  switch (of) {
    case 'note':
      return d.whenPresent(when, whole.note, (note) => inner(yes, { numbers: [size(note)] }), without)
    case 'best':
      return d.whenPresent(when, whole.best, (row) => inner(yes, { numbers: numbersOfRow(row) }), without)
    case 'row':
      return d.whenPresent(
        when,
        at(whole.rows, index % 3),
        (row) => inner(yes, { numbers: numbersOfRow(row) }),
        without,
      )
    case 'more':
    case 'spare': {
      const job = (list: Ref<number[]>) => inner(yes, { numbers: [size(list), orElse(at(list, 1), 8)] })
      return of === 'more'
        ? d.whenPresent(when, whole.more, job, without)
        : d.whenPresent(when, whole.spare, job, without)
    }
  }
}
