import type { Expression, Root } from '../../../src/core/expression.ts'

/** What roots stand for, inner scopes behind outer ones. */
export type Values = ReadonlyMap<string, unknown>

const keyOf = (root: Root): string => (root.kind === 'input' ? 'input' : `${root.kind} ${root.id}`)

/** What an expression gives without a machine. */
export function evaluate(expression: Expression, values: Values): unknown {
  const of = (each: Expression) => evaluate(each, values)
  switch (expression.kind) {
    case 'root':
      return values.get(keyOf(expression.root))
    case 'field':
      return (of(expression.of) as Record<string, unknown>)[expression.name]
    case 'present':
      return of(expression.of)
    case 'literal':
      return expression.value
    case 'list':
      return expression.items.map(of)
    case 'object':
      return Object.fromEntries(
        Object.entries(expression.fields)
          .map(([name, field]) => [name, of(field)])
          .filter(([, value]) => value !== undefined),
      )
    case 'operation':
      return operate(expression.operation, expression.operands.map(of))
  }
}

function operate(operation: string, operands: readonly unknown[]): unknown {
  const [a, b] = operands
  switch (operation) {
    case 'add':
      return Number(a) + Number(b)
    case 'subtract':
      return Number(a) - Number(b)
    case 'multiply':
      return Number(a) * Number(b)
    case 'divide':
      return Number(a) / Number(b)
    case 'at':
      return (a as readonly unknown[])[Number(b)]
    case 'size':
      return (a as string | readonly unknown[]).length
    case 'orElse':
      return a ?? b
    case 'join':
      return operands
        .map((each) => (typeof each === 'number' ? String(Number(each.toPrecision(15))) : String(each)))
        .join('')
    case 'eq':
      return a === b
    case 'lt':
      return (a as number) < (b as number)
    case 'lte':
      return (a as number) <= (b as number)
    case 'contains':
      return (a as string | readonly unknown[]).includes(b as never)
    case 'isPresent':
      return a !== undefined && a !== null
    case 'and':
      return operands.every((each) => each === true)
    case 'or':
      return operands.some((each) => each === true)
    case 'not':
      return a !== true
    default:
      throw new Error(`No operation ${operation}`)
  }
}
