import { type Condition, conditionOf, createCondition } from './condition.ts'
import { DefinitionError } from './errors.ts'
import type { Expression, Operation } from './expression.ts'
import { describeNonJson, isJsonScalar, isPlainObject } from './json-value.ts'
import { type Arg, createReference, type Ref, type Reference, type RefTo, referenceOf } from './reference.ts'

type Comparable = string | number | boolean | null

/** Whether both are the same. A value that is not there equals none. */
export function eq<T extends Comparable>(a: RefTo<T | undefined>, b: Arg<NoInfer<T>>): Condition {
  return test('eq', a, b)
}

/** Numbers by size, texts by their characters. */
export function lt<T extends string | number>(a: RefTo<T>, b: Arg<NoInfer<T>>): Condition {
  return test('lt', a, b)
}

export function lte<T extends string | number>(a: RefTo<T>, b: Arg<NoInfer<T>>): Condition {
  return test('lte', a, b)
}

export function gt<T extends string | number>(a: RefTo<T>, b: Arg<NoInfer<T>>): Condition {
  return test('lt', b, a)
}

export function gte<T extends string | number>(a: RefTo<T>, b: Arg<NoInfer<T>>): Condition {
  return test('lte', b, a)
}

/** Whether a list has this item, or a text this part. */
export function contains(text: RefTo<string>, part: Arg<string>): Condition
export function contains<T extends Comparable>(list: RefTo<readonly T[]>, item: Arg<NoInfer<T>>): Condition
export function contains(whole: RefTo<unknown>, part: unknown): Condition {
  return test('contains', whole, part)
}

/** Whether the value is there, and not null. */
export function isPresent(a: RefTo<unknown>): Condition {
  return test('isPresent', a)
}

export function isTrue(a: RefTo<boolean>): Condition {
  return test('eq', a, true)
}

export function and(...all: readonly [Condition, ...Condition[]]): Condition {
  return test('and', ...all)
}

export function or(...any: readonly [Condition, ...Condition[]]): Condition {
  return test('or', ...any)
}

export function not(a: Condition): Condition {
  return test('not', a)
}

/** The item at an index from 0, which may be absent; at one that comes out negative there is none. Throws `DefinitionError` for one that is written so. */
export function at<E>(list: RefTo<readonly E[]>, index: Arg<number>): Ref<E | undefined> {
  if (typeof index === 'number' && index < 0)
    throw new DefinitionError(
      `at takes an index from 0, not ${index}; the last item is at(list, subtract(size(list), 1))`,
    )
  return compute('at', list, index)
}

/** How many items a list has, or characters a text. */
export function size(of: RefTo<readonly unknown[] | string>): Ref<number> {
  return compute('size', of)
}

/** The value, or another where it is absent or null. */
export function orElse<T, const D extends Arg<NoInfer<NonNullable<T>>>>(
  a: RefTo<T>,
  otherwise: D,
): Ref<NonNullable<T>> {
  return compute('orElse', a, otherwise)
}

export function add(a: Arg<number>, b: Arg<number>): Ref<number> {
  return compute('add', a, b)
}

export function subtract(a: Arg<number>, b: Arg<number>): Ref<number> {
  return compute('subtract', a, b)
}

export function multiply(a: Arg<number>, b: Arg<number>): Ref<number> {
  return compute('multiply', a, b)
}

/** Division by 0 is a failure, of the step whose input it was to be, or of the run. */
export function divide(a: Arg<number>, b: Arg<number>): Ref<number> {
  return compute('divide', a, b)
}

/** Text with values in it: text`${size(orders)} orders of ${input.customerId}`. Numbers have at most 15 digits. */
export function text(
  parts: TemplateStringsArray,
  ...values: readonly Arg<string | number | boolean>[]
): Ref<string> {
  const pieces = parts.flatMap((part, index) => {
    const value = values[index]
    return [...(part === '' ? [] : [part]), ...(value === undefined ? [] : [value])]
  })
  return compute('join', ...(pieces.length === 0 ? [''] : pieces))
}

function compute<T>(operation: Operation, ...operands: readonly unknown[]): Ref<T> {
  return createReference(operate(operation, operands))
}

function test(operation: Operation, ...operands: readonly unknown[]): Condition {
  return createCondition(operate(operation, operands))
}

function operate(operation: Operation, values: readonly unknown[]): Reference {
  const operands = values.map((value) => operandOf(operation, value))
  return {
    expression: { kind: 'operation', operation, operands: operands.map(({ expression }) => expression) },
    scopes: operands.flatMap(({ scopes }) => scopes),
    label: `${operation}(${operands.map(({ label }) => label).join(', ')})`,
  }
}

/** Also lists and objects of values and references, as `orElse` takes them. */
function operandOf(operation: Operation, value: unknown): Reference {
  const known = referenceOf(value) ?? conditionOf(value)
  if (known !== undefined) return known
  if (isJsonScalar(value)) return combine({ kind: 'literal', value }, [])
  if (Array.isArray(value)) {
    const items = value.map((item) => operandOf(operation, item))
    return combine({ kind: 'list', items: items.map(({ expression }) => expression) }, items)
  }
  if (isPlainObject(value)) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, operandOf(operation, field)] as const)
    const expressions = fields.map(([name, { expression }]) => [name, expression])
    return combine(
      { kind: 'object', fields: Object.fromEntries(expressions) },
      fields.map(([, field]) => field),
    )
  }
  throw new DefinitionError(`${operation} takes references and JSON values, not ${describeNonJson(value)}`)
}

function combine(expression: Expression, parts: readonly Reference[]): Reference {
  return { expression, scopes: parts.flatMap(({ scopes }) => scopes), label: 'a value' }
}
