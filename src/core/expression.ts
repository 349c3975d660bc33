/** What a path starts from. Numbers are those of steps and maps in their doer's plan. */
export type Root =
  | { readonly kind: 'input' }
  /** The result of a step or a map. */
  | { readonly kind: 'result'; readonly number: number }
  /** The item that the body of a map works on. */
  | { readonly kind: 'item'; readonly number: number }
  /** That item's place in the list, from 0. */
  | { readonly kind: 'index'; readonly number: number }

/**
 * A value that is known when the machine runs, as data. Example, `{ number: order.orderNumber }` in the body
 * of map 2: `{ kind: 'object', fields: { number: { kind: 'path', root: { kind: 'item', number: 2 }, path:
 * ['orderNumber'] } } }`.
 */
export type Expression =
  | { readonly kind: 'path'; readonly root: Root; readonly path: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Expression>> }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }

/** The roots that an expression reads, in the order in which they stand in it. */
export function rootsOf(expression: Expression): readonly Root[] {
  switch (expression.kind) {
    case 'path':
      return [expression.root]
    case 'literal':
      return []
    case 'object':
      return Object.values(expression.fields).flatMap(rootsOf)
    case 'list':
      return expression.items.flatMap(rootsOf)
  }
}
