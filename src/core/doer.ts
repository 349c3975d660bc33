import type * as z from 'zod'
import {
  type Declaration,
  describeCallable,
  type ObjectSchema,
  refuseTimeout,
  type Typed,
} from './callable.ts'
import type { DoerPlan } from './doer-plan.ts'
import type { Plan } from './plan.ts'
import { createPlanner } from './planner.ts'
import type { Arg, Ref } from './reference.ts'

export interface DoerDeclaration<I extends ObjectSchema, O extends z.ZodType> extends Declaration<I, O> {
  /** Nothing that anyone observes afterwards has changed: only for a doer that reaches nothing that changes things. Default false. */
  readonly readOnly?: boolean
  /** An orchestrator holds nothing, so it has no timeout. */
  readonly timeoutSeconds?: never
}

export interface Doer<out I = unknown, out O = unknown> extends Typed<I, O> {
  readonly kind: 'doer'
  readonly plan: DoerPlan
}

export interface DoerBuilder<I extends ObjectSchema, O extends z.ZodType> {
  plan(order: (d: Plan, input: Ref<z.output<I>>) => Arg<z.input<O>>): Doer<z.input<I>, z.output<O>>
}

/**
 * Declares an agent whose order of work is code. The plan runs once, here, over references, and is held as
 * data, from which the state machine is compiled. Throws `DefinitionError`.
 */
export function doer<I extends ObjectSchema, O extends z.ZodType>(
  declaration: DoerDeclaration<I, O>,
): DoerBuilder<I, O> {
  const common = describeCallable('doer', declaration)
  refuseTimeout('doer', declaration)
  return {
    plan: (order) => {
      const planner = createPlanner(common.name)
      const plan = planner.finish(order(planner.plan, planner.input<z.output<I>>()))
      // The phantom types exist for the compiler alone.
      return {
        ...common,
        kind: 'doer',
        readOnly: declaration.readOnly ?? false,
        plan,
      } as Partial<Doer> as Doer<z.input<I>, z.output<O>>
    },
  }
}
