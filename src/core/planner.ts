import * as z from 'zod'
import type { Typed } from './callable.ts'
import { createCode, type RunCode } from './code.ts'
import type { Condition } from './condition.ts'
import type { Block, ChooseNode, StepNode } from './doer-plan.ts'
import { createDraft, type Job, refer } from './draft.ts'
import type { Expression } from './expression.ts'
import { isPlainObject } from './json-value.ts'
import { eq, isPresent, or } from './operations.ts'
import type { CodeDeclaration, Group, Plan, StepOptions } from './plan.ts'
import { createJobs } from './plan-jobs.ts'
import { type Arg, createReference, type Ref, type RefTo, referenceOf, type Scope } from './reference.ts'
import { refuse, requireFailureNames, requireWhole, type Use } from './step-names.ts'
import { LONGEST_WAIT_SECONDS, readStepOptions } from './step-options.ts'
import { toCondition, toExpression } from './to-expression.ts'

/** Step Functions: an inline Map runs at most 40 items at once. */
export const MAXIMUM_CONCURRENCY = 40
const MAXIMUM_REPEATS = 1_000
/** Step Functions: `Seconds` of a Wait is at most this. */
const LONGEST_WAIT_STATE_SECONDS = 99_999_999

/** The calls of one plan's language, which are recorded. `finish` takes what the plan returned, once. */
export function createPlanner(doer: string) {
  const draft = createDraft(doer)
  const { claim, nextId, nextNumber, add, addAs, planBlock, planBranches, planUntil } = draft

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
      const body = planBlock(use.place, () => build(createJobs(draft, use)))
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
        when: toCondition(hasTag(Reflect.get(value, tag), label), use),
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

  return { plan, input: draft.input, finish: draft.finish }
}

/** A branch is named by a text: `true` and `false` stand also for the values that they name. */
function hasTag(tag: RefTo<string | boolean>, label: string): Condition {
  const isText = eq<string | boolean>(tag, label)
  return label === 'true' || label === 'false'
    ? or(eq<string | boolean>(tag, label === 'true'), isText)
    : isText
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

const blockAt = (blocks: readonly (readonly [string, Block])[], index: number): Block => {
  const [, block] = blocks[index] ?? []
  if (block === undefined) throw new Error(`There is no branch ${index}`)
  return block
}
