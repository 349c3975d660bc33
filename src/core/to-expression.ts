import { conditionOf } from './condition.ts'
import type { Expression } from './expression.ts'
import { describeNonJson, isJsonScalar, isPlainObject } from './json-value.ts'
import { type Reference, referenceOf } from './reference.ts'
import { refuse, type Use } from './step-names.ts'

/**
 * A value built of values and references, as data. Fields that are `undefined` are left out. Throws
 * `DefinitionError`, naming the path, for a value that JSON cannot carry and for a reference used outside its
 * plan, its map or its branch.
 */
export function toExpression(value: unknown, use: Use, path = 'input'): Expression {
  const reference = referenceOf(value)
  if (reference !== undefined) {
    requireOpen(reference, use)
    return reference.expression
  }
  if (conditionOf(value) !== undefined)
    return refuse(use.doer, use.place, `${path} is a condition, and no value; d.choose makes one of it`)
  if (isJsonScalar(value)) return { kind: 'literal', value }
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item, index) => toExpression(item, use, `${path}[${index}]`)) }
  if (isPlainObject(value)) return objectExpression(value, use, path)
  return refuse(use.doer, use.place, `${path} is ${describeNonJson(value)}, which JSON cannot carry`)
}

/** A condition as data. Throws `DefinitionError` as `toExpression`, and for what is no condition. */
export function toCondition(value: unknown, use: Use): Expression {
  const condition = conditionOf(value)
  if (condition === undefined)
    return refuse(use.doer, use.place, 'its condition is none: eq, gt, isPresent and the like make one')
  requireOpen(condition, use)
  return condition.expression
}

function requireOpen({ scopes, label }: Reference, use: Use): void {
  for (const scope of scopes) {
    if (scope.doer !== use.doer) refuse(use.doer, use.place, `${label} belongs to doer "${scope.doer}"`)
    if (!scope.isOpen())
      refuse(
        use.doer,
        use.place,
        `${label} is used outside ${scope.within ?? `the plan of doer "${scope.doer}"`}`,
      )
  }
}

function objectExpression(value: object, use: Use, path: string): Expression {
  const present = Object.entries(value).filter(([, field]) => field !== undefined)
  if (present.some(([key]) => key === '__proto__'))
    refuse(use.doer, use.place, `${path} has a field "__proto__", which JSONata leaves out on a laptop`)
  const fields = present.map(([key, field]) => [key, toExpression(field, use, `${path}.${key}`)] as const)
  return { kind: 'object', fields: Object.fromEntries(fields) }
}
