import type { Typed } from './callable.ts'
import type { DoerPlan, MapPlan, Plan, PlanStep, StepPlan } from './doer-plan.ts'
import { createReference, type Ref, type Scope } from './reference.ts'
import { createStepNames, refuse } from './step-names.ts'
import { toExpression } from './to-expression.ts'

/** Step Functions: an inline Map runs at most 40 items at once. */
export const MAXIMUM_CONCURRENCY = 40

/** A run of calls that become steps: the whole plan, or the body of a map. */
interface Block {
  readonly scope: Scope
  readonly steps: PlanStep[]
  /** No more steps, and its references may no longer be used. */
  close(): void
}

/** Records the calls of one plan. `finish` takes what the plan returned, once. */
export function createPlanner(doer: string) {
  const names = createStepNames(doer)
  const whole = createBlock(doer)
  let current = whole
  let lastNumber = 0

  const claim = (kind: 'step' | 'map', name: string): string => {
    const place = names.claim(kind, name)
    if (!whole.scope.isOpen()) refuse(doer, place, 'called after the plan had returned; a plan is not async')
    return place
  }

  const plan: Plan = {
    step<I, O>(name: string, callable: Typed<I, O>, given: unknown): Ref<O> {
      const place = claim('step', name)
      if (callable === undefined)
        refuse(
          doer,
          place,
          'its callable is undefined; its module and this one import each other in a circle',
        )
      const input = toExpression(given, { doer, place })
      const number = ++lastNumber
      current.steps.push({ kind: 'step', name, number, callable, input })
      return resultOf(number, name, current.scope)
    },

    map(name, items, job, { concurrency = MAXIMUM_CONCURRENCY } = {}) {
      const place = claim('map', name)
      if (current !== whole)
        refuse(
          doer,
          place,
          `stands in ${current.scope.within}; a map inside a map is not part of the language yet`,
        )
      requireConcurrency(doer, place, concurrency)
      const list = toExpression(items, { doer, place }, 'its list')
      const number = ++lastNumber
      const body = planBody(place, (scope) => {
        const item = {
          root: { kind: 'item', number },
          path: [],
          scope,
          label: `the item of ${place}`,
        } as const
        const index = {
          root: { kind: 'index', number },
          path: [],
          scope,
          label: `the index of ${place}`,
        } as const
        return job(createReference(item), createReference(index))
      })
      whole.steps.push({ kind: 'map', name, number, list, concurrency, ...body })
      return resultOf(number, name, whole.scope)
    },
  }

  function planBody(place: string, job: (scope: Scope) => unknown): Pick<MapPlan, 'steps' | 'result'> {
    const body = createBlock(doer, place, whole)
    current = body
    try {
      const result = toExpression(job(body.scope), { doer, place }, 'its result')
      return { steps: body.steps.filter(isStep), result }
    } finally {
      body.close()
      current = whole
    }
  }

  return {
    plan,
    input: <T>(): Ref<T> =>
      createReference({ root: { kind: 'input' }, path: [], scope: whole.scope, label: 'input' }),
    finish(returned: unknown): DoerPlan {
      const result = toExpression(returned, { doer, place: 'the plan' }, 'its result')
      whole.close()
      return { steps: whole.steps, result }
    },
  }
}

function createBlock(doer: string, within?: string, outer?: Block): Block {
  let isOpen = true
  return {
    scope: {
      doer,
      ...(within === undefined ? {} : { within }),
      isOpen: () => isOpen && (outer?.scope.isOpen() ?? true),
    },
    steps: [],
    close: () => {
      isOpen = false
    },
  }
}

/** A body holds steps alone, since a map in it is refused. */
function isStep(step: PlanStep): step is StepPlan {
  return step.kind === 'step'
}

function requireConcurrency(doer: string, place: string, concurrency: number): void {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAXIMUM_CONCURRENCY)
    refuse(
      doer,
      place,
      `concurrency is ${concurrency}; it is a whole number from 1 to ${MAXIMUM_CONCURRENCY}`,
    )
}

function resultOf<T>(number: number, name: string, scope: Scope): Ref<T> {
  return createReference({ root: { kind: 'result', number }, path: [], scope, label: `"${name}"` })
}
