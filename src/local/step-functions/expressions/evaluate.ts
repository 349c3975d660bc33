import { evaluateExpression } from './compile-expression.ts'
import { expressionText } from './expression-text.ts'
import { createFunctions, type Sources } from './functions.ts'

/** What `$states` holds in the field that is evaluated. */
export interface StatesVariable {
  readonly input: unknown
  readonly result?: unknown
  readonly errorOutput?: unknown
  readonly context: unknown
}

export interface Scope {
  readonly variables: Readonly<Record<string, unknown>>
  readonly states: StatesVariable
}

export interface Evaluator {
  /**
   * The value of a template: literals are themselves, each text `{% … %}` at any depth is the value of its expression, as plain JSON.
   * `location` names the field for messages: `Output`. Throws `EvaluationError`.
   */
  evaluate(template: unknown, location: string, scope: Scope): Promise<unknown>
}

/** An expression that gave nothing, threw, or gave what is not JSON; the message is AWS's sentence, without the state it stands in. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
  readonly location: string
  constructor(location: string, message: string) {
    super(message)
    this.location = location
  }
}

/** JSONata as Step Functions runs it. */
export function createEvaluator(sources: Sources): Evaluator {
  const functions = createFunctions(sources)
  return { evaluate }

  async function evaluate(template: unknown, location: string, scope: Scope): Promise<unknown> {
    if (typeof template === 'string') {
      const text = expressionText(template)
      return text === undefined ? template : valueOfExpression(text, location, scope)
    }
    if (typeof template !== 'object' || template === null) return template
    if (Array.isArray(template)) {
      const items: unknown[] = []
      for (const [index, item] of template.entries())
        items.push(await evaluate(item, `${location}[${index}]`, scope))
      return items
    }
    const object: [string, unknown][] = []
    for (const [key, value] of Object.entries(template))
      object.push([key, await evaluate(value, `${location}/${key}`, scope)])
    return Object.fromEntries(object)
  }

  async function valueOfExpression(
    text: string,
    location: string,
    { variables, states }: Scope,
  ): Promise<unknown> {
    const refuse = (problem: string) =>
      new EvaluationError(location, `${describeField(text, location)} ${problem}`)
    let result: unknown
    try {
      result = await evaluateExpression(text, { ...functions, ...variables, states })
    } catch (error) {
      throw refuse(`threw an error during evaluation. ${describeError(error)}`)
    }
    if (result === undefined) throw refuse('returned nothing (undefined).')
    const plain = toPlainJson(result)
    if (plain === undefined) throw refuse('returned an unsupported result type.')
    return plain
  }
}

/** The start of AWS's sentences about an expression. */
export function describeField(text: string, location: string): string {
  return `The JSONata expression '${text}' specified for the field '${location}'`
}

/** `S0211: The symbol "]" cannot be used as a unary operator`: the code and message of what jsonata throws, which is no Error. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error) && typeof error !== 'object') return String(error)
  const { code, message } = error as { code?: unknown; message?: unknown } // jsonata throws plain objects with these two
  return typeof code === 'string' ? `${code}: ${String(message)}` : String(message)
}

/** Copies a result without jsonata's marks on it; undefined if a function, or a number that JSON lacks, is anywhere in it. */
function toPlainJson(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || '_jsonata_lambda' in value || '_jsonata_function' in value)
    return undefined
  if (Array.isArray(value)) {
    const items = value.map(toPlainJson)
    return items.includes(undefined) ? undefined : items
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]): [string, unknown] => [key, toPlainJson(item)])
  return entries.some(([, item]) => item === undefined) ? undefined : Object.fromEntries(entries)
}
