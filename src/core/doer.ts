import type * as z from 'zod'
import {
  type Declaration,
  describeCallable,
  type ObjectSchema,
  refuseTimeout,
  type Typed,
} from './callable.ts'
import type { Expression } from './expression.ts'
import { createPlanner } from './planner.ts'
import type { Arg, Ref, RefTo, Resolved } from './reference.ts'

/**
 * What a doer's plan is written with. Each call records the next step; what it gives back is known when the
 * machine runs.
 */
export interface Plan {
  /**
   * The next step: runs a tool or a thinker and gives a reference to its output. Names: 1 to 80 characters,
   * unique in the doer.
   */
  step<I, O>(name: string, callable: Typed<I, O>, input: Arg<NoInfer<I>>): Ref<O>
  /**
   * Runs the body's steps for each item of a list, several items at once, and gives the results in the order
   * of the list. `concurrency`: 1 to 40 items at a time (Step Functions runs no more in an inline Map);
   * default 40.
   */
  map<E, const R>(
    name: string,
    list: RefTo<readonly E[]>,
    body: (item: Ref<E>, index: Ref<number>) => R,
    options?: { readonly concurrency?: number },
  ): Ref<Resolved<R>[]>
}

export interface StepPlan {
  readonly kind: 'step'
  readonly name: string
  readonly number: number
  readonly callable: Typed<unknown, unknown>
  readonly input: Expression
}

export interface MapPlan {
  readonly kind: 'map'
  readonly name: string
  /** The map's own; the steps of its body have the next ones, which all items share. */
  readonly number: number
  readonly list: Expression
  /** 1 to 40. */
  readonly concurrency: number
  readonly steps: readonly StepPlan[]
  /** What each item gives. */
  readonly result: Expression
}

export type PlanStep = StepPlan | MapPlan

/** A doer's order of work as data. */
export interface DoerPlan {
  readonly steps: readonly PlanStep[]
  readonly result: Expression
}

export interface DoerDeclaration<I extends ObjectSchema, O extends z.ZodType> extends Declaration<I, O> {
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
      return { ...common, kind: 'doer', readOnly: false, plan } as Partial<Doer> as Doer<
        z.input<I>,
        z.output<O>
      >
    },
  }
}
