import { DefinitionError } from '../core/errors.ts'
import type { Expression, Root } from '../core/expression.ts'
import type { Template } from './asl.ts'
import type { Shape } from './shape.ts'

/** Writes expressions for one state. */
export interface Writer {
  /**
   * The expression as JSON in which references are `{% … %}`. Throws `DefinitionError` where nothing may
   * stand for a value that may be absent.
   */
  template(expression: Expression): Template
}

/**
 * `sourceOf` says what a root is called in this state, such as `$list_orders_1`; `shapeOf` what is known of a
 * value.
 *
 * JSON is kept as JSON, which reads best and is exact: a list written in JSONata would merge with the lists
 * in it. Only an object with a field that may be absent is written in JSONata, which leaves the field out
 * where ASL would fail.
 */
export function createWriter(
  sourceOf: (root: Root) => string,
  shapeOf: (expression: Expression) => Shape,
): Writer {
  const template = (expression: Expression): Template => {
    requirePresent(expression)
    switch (expression.kind) {
      case 'path':
        return embed(code(expression))
      case 'literal':
        return isJsonata(expression.value) ? embed(code(expression)) : expression.value
      case 'list':
        return expression.items.map(template)
      case 'object': {
        const fields = Object.entries(expression.fields)
        if (fields.some(([, field]) => shapeOf(field).mayBeAbsent)) return embed(code(expression))
        return Object.fromEntries(fields.map(([name, field]) => [name, template(field)]))
      }
    }
  }

  const code = (expression: Expression): string => {
    switch (expression.kind) {
      case 'path':
        return pathCode(expression)
      case 'literal':
        return JSON.stringify(expression.value)
      case 'list':
        return `[${expression.items.map(itemCode).join(', ')}]`
      case 'object': {
        const fields = Object.entries(expression.fields)
        return `{ ${fields.map(([name, field]) => `${JSON.stringify(name)}: ${code(field)}`).join(', ')} }`
      }
    }
  }

  const requirePresent = (expression: Expression): void => {
    if (shapeOf(expression).mayBeAbsent)
      throw new DefinitionError(
        `${code(expression)} may be absent; only a field of an object may be left out`,
      )
  }

  // `[$list]` is a copy of the list, and `[[$list]]` a list with the list in it.
  const itemCode = (item: Expression): string => {
    requirePresent(item)
    const { isList } = shapeOf(item)
    if (isList === 'mixed')
      throw new DefinitionError(
        `${code(item)} may or may not be a list, so a list beside fields that may be absent cannot hold it`,
      )
    return isList && item.kind === 'path' ? `[${code(item)}]` : code(item)
  }

  const pathCode = ({ root, path }: Extract<Expression, { kind: 'path' }>): string =>
    path.reduce((written, name, depth) => {
      const isList = shapeOf({ kind: 'path', root, path: path.slice(0, depth) }).isList === true
      return isList && name === 'length' ? `$count(${written})` : fieldCode(written, name)
    }, sourceOf(root))

  return { template }
}

/** What stands between `{%` and `%}` is JSONata. */
export function embed(code: string): string {
  return `{% ${code} %}`
}

function isJsonata(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('{%')
}

const WORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null'])

function fieldCode(object: string, name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !WORDS.has(name)) return `${object}.${name}`
  return name.includes('`') ? `$lookup(${object}, ${JSON.stringify(name)})` : `${object}.\`${name}\``
}
