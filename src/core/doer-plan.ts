import type { Typed } from './callable.ts'
import type { Expression } from './expression.ts'
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
