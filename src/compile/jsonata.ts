import { DefinitionError } from '../core/errors.ts'
import type { Expression, Root } from '../core/expression.ts'
import type { Template } from './asl.ts'
import type { Shape } from './shape/shape.ts'

/** An expression that cannot be written. Whoever knows where it stands says so. */
export class Unwritable extends DefinitionError {}

/** Writes expressions for one state. */
export interface Writer {
  /**
   * The expression as JSON in which references are `{% … %}`. Throws `Unwritable` where nothing may
   * stand for a value that may be absent.
   */
  template(expression: Expression): Template
  /** The same as JSONata, without the marks. */
  code(expression: Expression): string
}

const isPath = (expression: Expression): boolean =>
  expression.kind === 'root' ||
  ((expression.kind === 'field' || expression.kind === 'present') && isPath(expression.of))

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
      case 'literal':
        return isJsonata(expression.value) ? embed(code(expression)) : expression.value
      case 'list':
        return expression.items.map(template)
      case 'object': {
        const fields = Object.entries(expression.fields)
        if (fields.some(([, field]) => shapeOf(field).mayBeAbsent)) return embed(code(expression))
        return Object.fromEntries(fields.map(([name, field]) => [name, template(field)]))
      }
      default:
        return embed(code(expression))
    }
  }

  const code = (expression: Expression): string => {
    switch (expression.kind) {
      case 'root':
        return sourceOf(expression.root)
      case 'field':
        return fieldOf(expression)
      case 'present':
        return code(expression.of)
      case 'operation':
        return operation(expression)
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
      throw new Unwritable(
        `${code(expression)} may be absent; only a field of an object may be left out, orElse and whenPresent say what then`,
      )
  }

  // `[$list]` is a copy of the list, and `[[$list]]` a list with the list in it.
  const itemCode = (item: Expression): string => {
    requirePresent(item)
    const { isList } = shapeOf(item)
    if (isList === 'mixed')
      throw new Unwritable(
        `${code(item)} may or may not be a list, so a list beside fields that may be absent cannot hold it`,
      )
    return isList && item.kind !== 'list' ? `[${code(item)}]` : code(item)
  }

  const fieldOf = ({ of, name }: Extract<Expression, { kind: 'field' }>): string =>
    shapeOf(of).isList === true && name === 'length' ? `$count(${code(of)})` : fieldCode(code(of), name)

  const operation = ({ operation: name, operands }: Extract<Expression, { kind: 'operation' }>): string => {
    const [first = NOTHING, second = NOTHING] = operands
    const between = (sign: string) => `(${operands.map(present).join(` ${sign} `)})`
    switch (name) {
      case 'add':
        return between('+')
      case 'subtract':
        return between('-')
      case 'multiply':
        return between('*')
      case 'divide':
        // JSONata's Infinity is no error until it is a result: a condition would take it for a number.
        return second.kind === 'literal' && second.value !== 0
          ? between('/')
          : foundOnce(second, 'by', (by) => `${by} = 0 ? $error("division by 0") : ${present(first)} / ${by}`)
      case 'join':
        return operands.length === 1 ? `$string(${present(first)})` : between('&')
      case 'lt':
        return between('<')
      case 'lte':
        return between('<=')
      case 'and':
        return between('and')
      case 'or':
        return between('or')
      case 'not':
        return `$not(${code(first)})`
      case 'eq':
        return `(${code(first)} = ${code(second)})`
      case 'isPresent':
        return `(${code(first)} != null)`
      case 'orElse':
        return foundOnce(first, 'found', (found) => `${found} != null ? ${found} : ${code(second)}`)
      case 'at':
        return itemAt(present(first), second)
      case 'size':
        return shapeOf(first).isList === true ? `$count(${present(first)})` : `$length(${present(first)})`
      case 'contains':
        return shapeOf(first).isList === true
          ? `(${present(second)} in ${present(first)})`
          : `$contains(${present(first)}, ${present(second)})`
    }
  }

  /** What takes work to find is found once, however many are nested, and then in a variable of this name. */
  const foundOnce = (expression: Expression, name: string, use: (found: string) => string): string =>
    isPath(expression)
      ? `(${use(code(expression))})`
      : `($${name} := ${code(expression)}; ${use(`$${name}`)})`

  // JSONata counts a negative index from the end.
  const itemAt = (list: string, index: Expression): string => {
    requirePresent(index)
    return index.kind === 'literal'
      ? `${list}[${code(index)}]`
      : foundOnce(index, 'index', (found) => `${found} >= 0 ? ${list}[${found}]`)
  }

  const present = (expression: Expression): string => {
    requirePresent(expression)
    return code(expression)
  }

  return { template, code: present }
}

const NOTHING: Expression = { kind: 'literal', value: null }

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
