import jsonata from 'jsonata'

export type Expression = ReturnType<typeof jsonata>

/** Step Functions: an expression that takes longer fails. A regular expression is not looked at while it runs. */
const LONGEST_MS = 1_000
const MAXIMUM_CACHED = 5_000
/** How many parts of expressions are evaluated between two looks at the time. */
const PARTS_PER_LOOK = 64
/** No variable can have this name. */
const DEADLINE = '(deadline)'
const compiled = new Map<string, Expression>()
let parts = 0

/** Compiles JSONata, once per text. Throws the compiler's error when the syntax is wrong. */
export function compileExpression(text: string): Expression {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const expression = jsonata(text)
  // jsonata's own way to look in on an evaluation; its types know texts alone.
  expression.assign(Symbol.for('jsonata.__evaluate_entry') as unknown as string, lookAtTime)
  if (compiled.size >= MAXIMUM_CACHED) compiled.clear()
  compiled.set(text, expression)
  return expression
}

/** Evaluates without an input: all that an expression reads is in variables. Throws what jsonata throws, and after a second an error. */
export function evaluateExpression(
  text: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return compileExpression(text).evaluate(undefined, { ...variables, [DEADLINE]: Date.now() + LONGEST_MS })
}

function lookAtTime(_part: unknown, _input: unknown, environment: { lookup(name: string): unknown }): void {
  parts += 1
  if (parts % PARTS_PER_LOOK !== 0) return
  const deadlineMs = environment.lookup(DEADLINE)
  if (typeof deadlineMs === 'number' && Date.now() > deadlineMs)
    throw new Error('Expression evaluation timeout')
}
