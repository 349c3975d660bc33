import * as z from 'zod'
import type { Typed } from './callable.ts'
import { createCode, type RunCode } from './code.ts'
import type { Block, ChooseNode, DoerPlan, PlanNode, StepNode } from './doer-plan.ts'
import type { Expression, Root } from './expression.ts'
import { isPlainObject } from './json-value.ts'
import { eq, isPresent } from './operations.ts'
import type { CodeDeclaration, Group, Plan, StepOptions } from './plan.ts'
import { type Arg, createReference, type Ref, type RefTo, referenceOf, type Scope } from './reference.ts'
import { createStepNames, refuse, requireFailureNames, requireWhole, type Use } from './step-names.ts'
import { LONGEST_WAIT_SECONDS, readStepOptions } from './step-options.ts'
import { toCondition, toExpression } from './to-expression.ts'

/** Step Functions: an inline Map runs at most 40 items at once. */
export const MAXIMUM_CONCURRENCY = 40
const MAXIMUM_REPEATS = 1_000
/** Step Functions: `Seconds` of a Wait is at most this. */
const LONGEST_WAIT_STATE_SECONDS = 99_999_999

/** A run of calls that become nodes: the whole plan, a body or a branch. */
interface OpenBlock {
  readonly scope: Scope
  readonly nodes: PlanNode[]
  /** The number that its last step has in the record. */
  lastNumber: number
  /** No more nodes, and its references may no longer be used. */
  close(): void
}

/** A node without what every node has. */
type NodeOf<K extends PlanNode['kind']> = Omit<Extract<PlanNode, { kind: K }>, 'name' | 'id' | 'kind'>

/** Records the calls of one plan. `finish` takes what the plan returned, once. */
export function createPlanner(doer: string) {
  const names = createStepNames(doer)
  const whole = openBlock(doer)
  let current = whole
  let lastId = 0

  const plan: Plan = {
    step<I, O>(name: string, callable: Typed<I, O>, given: unknown, options: StepOptions = {}): Ref<O> {
      const use = claim('step', name)
      if (callable === undefined)
        refuse(
          doer,
          use.place,
          'its callable is undefined; its module and this one import each other in a circle',
        )
      return addStep(name, use, { callable, given, options, isCode: false })
    },

    code(name: string, inputs: unknown, declaration: CodeDeclaration<z.ZodType>, run: RunCode) {
      const use = claim('code', name)
      const callable = createCode(use, declaration, run)
      return addStep(name, use, { callable, given: inputs, options: {}, isCode: true })
    },

    map(
      name: string,
      items: unknown,
      job: (item: never, index: never) => unknown,
      options: {
        readonly concurrency?: number
        readonly tolerate?: 'all' | number
        readonly atMost?: number
      } = {},
    ) {
      const { concurrency = MAXIMUM_CONCURRENCY, tolerate, atMost } = options
      const use = claim('map', name)
      requireWhole(use, 'concurrency', concurrency, 1, MAXIMUM_CONCURRENCY)
      if (tolerate !== undefined && tolerate !== 'all')
        requireWhole(use, 'tolerate', tolerate, 0, Number.MAX_SAFE_INTEGER)
      if (atMost !== undefined) requireWhole(use, 'atMost', atMost, 1, Number.MAX_SAFE_INTEGER)
      const list = toExpression(items, use, 'its list')
      const id = nextId()
      const body = planBlock(use.place, (scope) =>
        job(
          refer({ kind: 'item', id }, scope, `the item of ${use.place}`) as never, // what the caller's types say
          refer({ kind: 'index', id }, scope, `the index of ${use.place}`) as never,
        ),
      )
      // A list or a list artifact, as the overloads say.
      return addAs(id, name, 'map', {
        list,
        concurrency,
        ...(tolerate === undefined ? {} : { tolerate }),
        ...(atMost === undefined ? {} : { atMost }),
        body,
      }) as never
    },

    parallel(
      name: string,
      jobs: Readonly<Record<string, () => unknown>>,
      { onFailure = 'cancel' }: { readonly onFailure?: 'cancel' | 'finish' } = {},
    ) {
      const use = claim('parallel', name)
      if (!['cancel', 'finish'].includes(onFailure))
        refuse(doer, use.place, `onFailure is "${onFailure}"; it is "cancel" or "finish"`)
      if (Object.keys(jobs).length === 0) refuse(doer, use.place, 'it has no branch')
      const branches = planBranches(
        Object.entries(jobs).map(([label, job]) => ({
          label,
          place: `the branch "${label}" of ${use.place}`,
          job,
        })),
      )
      const result: object = add(name, 'parallel', { branches: Object.fromEntries(branches), onFailure })
      return Object.fromEntries(
        Object.keys(jobs).map((label) => [label, Reflect.get(result, label)]),
      ) as never
    },

    group(name: string, build: (group: Group) => unknown) {
      const use = claim('group', name)
      const id = nextId()
      const body = planBlock(use.place, () => build(createJobs(use)))
      const stray = body.nodes.find(({ kind }) => kind !== 'job')
      if (stray !== undefined)
        refuse(doer, use.place, `"${stray.name}" stands in it and in none of its jobs; put it into one`)
      if (body.nodes.length === 0) refuse(doer, use.place, 'it has no job')
      return addAs(id, name, 'group', { body })
    },

    choose(name, when, then, otherwise) {
      const use = claim('choose', name)
      return choose(name, use, [{ label: 'then', when: toCondition(when, use), job: then }], otherwise)
    },

    match(name: string, on: never, branches: Readonly<Record<string, () => unknown>>) {
      const use = claim('match', name)
      const cases = Object.entries(branches).map(([label, job]) => ({
        label,
        when: toCondition(eq<string>(on, label), use),
        job,
      }))
      if (cases.length === 0) refuse(doer, use.place, 'it has no branch')
      return choose(name, use, cases)
    },

    cases(
      name: string,
      value: never,
      tag: string,
      branches: Readonly<Record<string, (member: never) => unknown>>,
    ) {
      const use = claim('cases', name)
      const of = toExpression(value, use, 'its value')
      const all = Object.entries(branches).map(([label, job]) => ({
        label,
        when: toCondition(eq<string>(Reflect.get(value, tag), label), use),
        job: (scope: Scope) =>
          job(
            createReference({
              expression: { kind: 'present', of, tagged: { tag, value: label } },
              scopes: [scope],
              label: `the value of ${use.place}`,
            }) as never, // the member that the branch is for
          ),
      }))
      if (all.length === 0) refuse(doer, use.place, 'it has no branch')
      return choose(name, use, all)
    },

    whenPresent(name, value, then, otherwise) {
      const use = claim('whenPresent', name)
      const when = toCondition(isPresent(value), use)
      const of = toExpression(value, use, 'its value')
      const job = (scope: Scope) =>
        then(
          createReference({
            expression: { kind: 'present', of },
            scopes: [scope],
            label: `the value of ${use.place}`,
          }),
        )
      return choose(name, use, [{ label: 'present', when, job }], otherwise)
    },

    repeat(name, { from, until, max }, job) {
      const use = claim('repeat', name)
      requireWhole(use, 'max', max, 1, MAXIMUM_REPEATS)
      const start = toExpression(from, use, 'what it starts from')
      const id = nextId()
      const stateIn = (scope: Scope) =>
        refer({ kind: 'state', id }, scope, `the state of ${use.place}`) as never
      const condition = planUntil(use, (scope) => until(stateIn(scope)))
      const body = planBlock(use.place, (scope) => job(stateIn(scope)))
      return addAs(id, name, 'repeat', {
        from: start,
        until: condition,
        maximum: max,
        body,
      })
    },

    recover(name, job, options) {
      const use = claim('recover', name)
      requireFailureNames(use, options.on)
      const id = nextId()
      const body = planBlock(use.place, job)
      const handlerPlace = `the handler of ${use.place}`
      const handler = planBlock(handlerPlace, (scope) =>
        options.with(refer({ kind: 'failure', id }, scope, `the failure of ${use.place}`) as never),
      )
      return addAs(id, name, 'recover', { body, on: options.on, handler })
    },

    wait(name, how) {
      const use = claim('wait', name)
      if (isUntil(how)) {
        const value = toExpression(how.until, use, 'its time')
        if (value.kind === 'literal' && !isTimestamp(value.value))
          refuse(
            doer,
            use.place,
            `until is ${JSON.stringify(value.value)}; it is a time in ISO 8601 with a zone, such as 2026-12-24T18:00:00Z`,
          )
        add(name, 'wait', { how: 'until', value })
      } else {
        const value = toExpression(how, use, 'its seconds')
        if (value.kind === 'literal')
          requireWhole(use, 'its seconds', value.value as number, 0, LONGEST_WAIT_STATE_SECONDS) // what is no number is no whole one
        add(name, 'wait', { how: 'for', value })
      }
    },

    emit(name, text) {
      const use = claim('emit', name)
      const message = toExpression(text, use, 'its message')
      add(name, 'emit', { number: nextNumber(), message })
    },

    ask(name, { text, answer, deadlineSeconds }) {
      const use = claim('ask', name)
      requireWhole(use, 'deadlineSeconds', deadlineSeconds, 1, LONGEST_WAIT_SECONDS)
      if (answer?._zod === undefined) refuse(doer, use.place, 'its answer is no schema of zod 4')
      const question = toExpression(text, use, 'its text')
      return add(name, 'ask', { number: nextNumber(), question, answer, deadlineSeconds })
    },

    fail(name, failure) {
      const use = claim('fail', name)
      requireFailureNames(use, [failure.name])
      const message = toExpression(failure.message, use, 'its message')
      // Nothing that the plan's author writes after it is reached, which `never` says.
      return add(name, 'fail', { failure: failure.name, message }) as never
    },
  }

  function claim(kind: string, name: string): Use {
    const place = names.claim(kind, name)
    if (!whole.scope.isOpen()) refuse(doer, place, 'called after the plan had returned; a plan is not async')
    if (current.nodes.at(-1)?.kind === 'fail')
      refuse(doer, place, `stands after fail "${current.nodes.at(-1)?.name}", and would never run`)
    return { doer, place }
  }

  function addStep<T>(
    name: string,
    use: Use,
    step: Pick<StepNode, 'callable' | 'isCode'> & { readonly given: unknown; readonly options: StepOptions },
  ): Ref<T> {
    const { callable, isCode } = step
    const options = readStepOptions(callable, step.options, use)
    const input = toExpression(step.given, use)
    return add(name, 'step', { number: nextNumber(), callable, isCode, input, ...options })
  }

  /** The next in the record. */
  const nextNumber = (): number => {
    current.lastNumber += 1
    return current.lastNumber
  }

  const nextId = (): number => {
    lastId += 1
    return lastId
  }

  function add<K extends PlanNode['kind'], T>(name: string, kind: K, node: NodeOf<K>): Ref<T> {
    return addAs(nextId(), name, kind, node)
  }

  /** Whoever calls vouches for `T`. */
  function addAs<K extends PlanNode['kind'], T>(id: number, name: string, kind: K, node: NodeOf<K>): Ref<T> {
    current.nodes.push({ ...node, kind, name, id } as unknown as PlanNode) // `NodeOf<K>` has what a node of this kind has
    return refer({ kind: 'result', id }, current.scope, `"${name}"`)
  }

  function choose<T>(
    name: string,
    use: Use,
    cases: readonly { readonly label: string; readonly when: Expression; readonly job: Job }[],
    otherwise?: Job,
  ): Ref<T> {
    const labelled = cases.map(({ label, job }) => ({
      label,
      job,
      place: `the branch "${label}" of ${use.place}`,
    }))
    const last = { label: 'otherwise', place: `the branch "otherwise" of ${use.place}` }
    const blocks = planBranches([
      ...labelled,
      ...(otherwise === undefined ? [] : [{ ...last, job: otherwise }]),
    ])
    const branches = cases.map(({ label, when }, index): ChooseNode['branches'][number] => ({
      label,
      when,
      block: blockAt(blocks, index),
    }))
    const rest = otherwise === undefined ? {} : { otherwise: blockAt(blocks, cases.length) }
    return add(name, 'choose', { branches, ...rest })
  }

  /** The jobs of one group: what one gives is read in those alone that wait for it, and in what the group gives. */
  function createJobs(group: Use): Group {
    const block = current
    const first = block.lastNumber
    const known = new Map<number, { readonly waitsFor: ReadonlySet<number>; readonly lastNumber: number }>()
    let waitsFor: ReadonlySet<number> | undefined
    return {
      job<R>(name: string, body: () => unknown, { after = [] }: { after?: readonly RefTo<unknown>[] } = {}) {
        const use = claim('job', name)
        if (current !== block)
          refuse(doer, use.place, `it stands in another; put it beside it, into ${group.place}`)
        const earlier = after.map((job) => jobId(job, use, known))
        const id = nextId()
        const others = new Set(earlier.flatMap((other) => [other, ...(known.get(other)?.waitsFor ?? [])]))
        block.lastNumber = Math.max(first, ...earlier.map((other) => known.get(other)?.lastNumber ?? first))
        waitsFor = others
        const planned = planBlock(use.place, body)
        waitsFor = undefined
        known.set(id, { waitsFor: others, lastNumber: block.lastNumber })
        block.lastNumber = Math.max(...[...known.values()].map(({ lastNumber }) => lastNumber))
        addAs(id, name, 'job', { after: earlier, body: planned })
        const scope: Scope = {
          ...block.scope,
          within: `the jobs of ${group.place} that wait for it`,
          isOpen: () => block.scope.isOpen() && (waitsFor?.has(id) ?? true),
        }
        return refer<R>({ kind: 'result', id }, scope, `"${name}"`) as never // what `body` gives
      },
    }
  }

  function jobId(job: RefTo<unknown>, use: Use, known: ReadonlyMap<number, unknown>): number {
    const { expression } = referenceOf(job) ?? {}
    const id =
      expression?.kind === 'root' && expression.root.kind === 'result' ? expression.root.id : undefined
    if (id === undefined || !known.has(id))
      return refuse(doer, use.place, 'its after names what is no job of its group')
    return id
  }

  /** Branches that run at the same time, or of which one runs: their steps have the same numbers. */
  function planBranches(
    branches: readonly { readonly label: string; readonly place: string; readonly job: Job }[],
  ): (readonly [string, Block])[] {
    const before = current.lastNumber
    let highest = before
    const planned = branches.map(({ label, place, job }) => {
      current.lastNumber = before
      const block = planBlock(place, job)
      highest = Math.max(highest, current.lastNumber)
      return [label, block] as const
    })
    current.lastNumber = highest
    return planned
  }

  function planBlock(place: string, job: Job): Block {
    const outer = current
    const block = openBlock(doer, place, outer)
    current = block
    try {
      const returned = job(block.scope)
      const result = toExpression(returned === undefined ? null : returned, { doer, place }, 'its result')
      return { nodes: block.nodes, result }
    } finally {
      block.close()
      current = outer
      outer.lastNumber = block.lastNumber
    }
  }

  /** What `until` computes with stands in it alone, and it makes no node: it is looked at before each time. */
  function planUntil(use: Use, until: (scope: Scope) => unknown): Expression {
    const outer = current
    const block = openBlock(doer, `the until of ${use.place}`, outer)
    current = block
    try {
      const condition = toCondition(until(block.scope), use)
      const [made] = block.nodes
      if (made !== undefined)
        refuse(
          doer,
          use.place,
          `until makes ${made.kind} "${made.name}"; do it in the body and give what it found back in the state`,
        )
      return condition
    } finally {
      block.close()
      current = outer
    }
  }

  return {
    plan,
    input: <T>(): Ref<T> => refer({ kind: 'input' }, whole.scope, 'input'),
    finish(returned: unknown): DoerPlan {
      const given = returned === undefined && whole.nodes.at(-1)?.kind === 'fail' ? null : returned
      const result = toExpression(given, { doer, place: 'the plan' }, 'its result')
      whole.close()
      return { nodes: whole.nodes, result }
    },
  }
}

/** A reference has any field, so only a value of the author's own can say `until`. */
function isUntil(how: unknown): how is { readonly until: Arg<string> } {
  return isPlainObject(how) && referenceOf(how) === undefined && 'until' in how
}

/** Step Functions wants the seconds, too, which ISO 8601 may leave out. */
function isTimestamp(value: unknown): boolean {
  return z.iso
    .datetime({ offset: true })
    .regex(/:\d\d:\d\d/)
    .safeParse(value).success
}

type Job = (scope: Scope) => unknown

const blockAt = (blocks: readonly (readonly [string, Block])[], index: number): Block => {
  const [, block] = blocks[index] ?? []
  if (block === undefined) throw new Error(`There is no branch ${index}`)
  return block
}

function refer<T>(root: Root, scope: Scope, label: string): Ref<T> {
  return createReference({ expression: { kind: 'root', root }, scopes: [scope], label })
}

function openBlock(doer: string, within?: string, outer?: OpenBlock): OpenBlock {
  let isOpen = true
  return {
    scope: {
      doer,
      ...(within === undefined ? {} : { within }),
      isOpen: () => isOpen && (outer?.scope.isOpen() ?? true),
      isPlanOver: () => outer?.scope.isPlanOver() ?? !isOpen,
    },
    nodes: [],
    lastNumber: outer?.lastNumber ?? 0,
    close: () => {
      isOpen = false
    },
  }
}
