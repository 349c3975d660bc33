import { compileExpression } from '../expressions/compile-expression.ts'
import { describeError } from '../expressions/evaluate.ts'
import { expressionText } from '../expressions/expression-text.ts'
import type { State } from './machine.ts'
import type { Report } from './report.ts'

/** Fields that hold a branch, whose states are checked as its own. */
const BRANCHES = new Set(['ItemProcessor', 'Iterator', 'Branches', 'branches'])

/** Compiles each JSONata expression of a state, so that a slip of syntax is found when the machine is created. */
export function checkExpressions(state: State, path: string, report: Report): void {
  if (!state.usesJsonata) return
  for (const [field, value] of Object.entries(state))
    if (!BRANCHES.has(field)) checkValue(value, `${path}/${field}`, report)
}

function checkValue(value: unknown, path: string, report: Report): void {
  if (typeof value === 'string') {
    const text = expressionText(value)
    const problem = text === undefined ? undefined : syntaxProblem(text)
    if (problem !== undefined) report(`INVALID_JSONATA: ${problem}`, path)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkValue(item, `${path}[${index}]`, report)
    })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkValue(item, `${path}/${key}`, report)
  }
}

function syntaxProblem(text: string): string | undefined {
  try {
    compileExpression(text)
    return undefined
  } catch (error) {
    return describeError(error)
  }
}
