import { expressionText } from '../expressions/expression-text.ts'
import { type Available, checkJsonata } from './check-jsonata.ts'
import type { State } from './machine.ts'
import type { Report } from './report.ts'

/** Fields that hold a branch, whose states are checked as its own. */
const BRANCHES = new Set(['ItemProcessor', 'Iterator', 'Branches', 'branches'])
/** The states that have a result. */
const WITH_RESULT = new Set(['Task', 'Map', 'Parallel'])

/** Checks each JSONata expression of a state as far as it can be before it runs. */
export function checkExpressions(state: State, path: string, report: Report): void {
  if (!state.usesJsonata) return
  for (const [field, value] of Object.entries(state))
    if (!BRANCHES.has(field)) checkValue(value, `${path}/${field}`, availableIn(state, field), report)
}

function availableIn({ Type }: State, field: string): Available {
  if (field === 'Catch') return 'errorOutput'
  return WITH_RESULT.has(Type) && (field === 'Output' || field === 'Assign') ? 'result' : undefined
}

function checkValue(value: unknown, path: string, available: Available, report: Report): void {
  if (typeof value === 'string') {
    const text = expressionText(value)
    if (text !== undefined) for (const problem of checkJsonata(text, available)) report(problem, path)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkValue(item, `${path}[${index}]`, available, report)
    })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkValue(item, `${path}/${key}`, available, report)
  }
}
