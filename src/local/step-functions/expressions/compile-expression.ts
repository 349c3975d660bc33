import jsonata from 'jsonata'

export type Expression = ReturnType<typeof jsonata>

/** An expression that takes longer is stopped, so that an endless recursion does not stop the server. */
const TIMEOUT_MS = 5_000
const MAXIMUM_DEPTH = 2_000
const MAXIMUM_CACHED = 5_000
const compiled = new Map<string, Expression>()

/** Compiles JSONata, once per text. Throws the compiler's error when the syntax is wrong. */
export function compileExpression(text: string): Expression {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const expression = jsonata(text, { timeout: TIMEOUT_MS, stack: MAXIMUM_DEPTH })
  if (compiled.size >= MAXIMUM_CACHED) compiled.clear()
  compiled.set(text, expression)
  return expression
}
