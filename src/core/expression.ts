/** What an expression starts from. Ids are those of the nodes of their doer's plan. */
export type Root =
  | { readonly kind: 'input' }
  /** What a node gave: a step's output, a map's list, what a branch that was taken gave. */
  | { readonly kind: 'result'; readonly id: number }
  /** The item that the body of a map works on. */
  | { readonly kind: 'item'; readonly id: number }
  /** That item's place in the list, from 0. */
  | { readonly kind: 'index'; readonly id: number }
  /** What a repeat has come to. */
  | { readonly kind: 'state'; readonly id: number }
  /** `{ name, message }` of what a recover recovers from. */
  | { readonly kind: 'failure'; readonly id: number }

/** What can be done with values without code. Booleans come of those that conditions are made of. */
export type Operation =
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  /** Of a list the item at an index from 0. */
  | 'at'
  /** Items of a list, or characters of a text. */
  | 'size'
  | 'orElse'
  /** Texts, numbers and booleans as one text. */
  | 'join'
  | 'eq'
  | 'lt'
  | 'lte'
  /** Whether a list has an item, or a text a part. */
  | 'contains'
  | 'isPresent'
  | 'and'
  | 'or'
  | 'not'

/**
 * A value that is known when the machine runs, as data. Example, `{ number: order.orderNumber }` in the body
 * of map 2: `{ kind: 'object', fields: { number: { kind: 'field', of: { kind: 'root', root: { kind: 'item',
 * id: 2 } }, name: 'orderNumber' } } }`.
 */
export type Expression =
  | { readonly kind: 'root'; readonly root: Root }
  | { readonly kind: 'field'; readonly of: Expression; readonly name: string }
  /** The same value, where it is known to be there; with `tagged`, also to be the member of its union whose tag has this value. */
  | {
      readonly kind: 'present'
      readonly of: Expression
      readonly tagged?: { readonly tag: string; readonly value: string }
    }
  | { readonly kind: 'operation'; readonly operation: Operation; readonly operands: readonly Expression[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Expression>> }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }

/** The roots that an expression reads, in the order in which they stand in it. */
export function rootsOf(expression: Expression): readonly Root[] {
  switch (expression.kind) {
    case 'root':
      return [expression.root]
    case 'field':
    case 'present':
      return rootsOf(expression.of)
    case 'operation':
      return expression.operands.flatMap(rootsOf)
    case 'literal':
      return []
    case 'object':
      return Object.values(expression.fields).flatMap(rootsOf)
    case 'list':
      return expression.items.flatMap(rootsOf)
  }
}
