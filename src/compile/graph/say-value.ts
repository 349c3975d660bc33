import type { Expression, Root } from '../../core/expression.ts'

/** A value in words, `list orders.orders`; undefined where it is computed. `nameOf`: of the node with an id. */
export function sayValue(expression: Expression, nameOf: (id: number) => string): string | undefined {
  switch (expression.kind) {
    case 'root':
      return sayRoot(expression.root, nameOf)
    case 'field': {
      const of = sayValue(expression.of, nameOf)
      return of === undefined ? undefined : `${of}.${expression.name}`
    }
    case 'present':
      return sayValue(expression.of, nameOf)
    case 'literal':
      return String(expression.value)
    case 'operation':
    case 'object':
    case 'list':
      return undefined
  }
}

function sayRoot(root: Root, nameOf: (id: number) => string): string {
  switch (root.kind) {
    case 'input':
      return 'input'
    case 'result':
      return nameOf(root.id)
    case 'item':
    case 'index':
    case 'state':
    case 'failure':
      return `${root.kind} of ${nameOf(root.id)}`
  }
}
