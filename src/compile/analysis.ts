import type { Doer } from '../core/doer.ts'
import { codeSeconds } from '../core/doer-plan.ts'
import type { Expression } from '../core/expression.ts'
import type { Shape } from './shape/shape.ts'
import { createShapes } from './shape/shape-of-expression.ts'
import { createWantedAnswers, type WantedAnswers } from './wanted-answers.ts'

/** What is found out about a doer before a machine of it is written: found once, however often it is written anew to fit. */
export interface Analysis {
  readonly doer: Doer
  readonly shapeOf: (expression: Expression) => Shape
  readonly wanted: WantedAnswers
  /** How long the function of its own code may run. */
  readonly codeSeconds: number
}

export function analyse(doer: Doer): Analysis {
  const shapeOf = createShapes(doer)
  return { doer, shapeOf, wanted: createWantedAnswers(doer, shapeOf), codeSeconds: codeSeconds(doer.plan) }
}
