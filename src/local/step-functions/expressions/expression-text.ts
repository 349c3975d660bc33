const EXPRESSION = /^\{%([\s\S]*)%\}$/

/** A text is an expression only if it starts with `{%` and ends with `%}`, without white space around. */
export function isExpression(text: string): boolean {
  return EXPRESSION.test(text)
}

/** What stands between `{%` and `%}`, trimmed; undefined for any other text, which is literal. */
export function expressionText(text: string): string | undefined {
  return EXPRESSION.exec(text)?.[1]?.trim()
}
