import jsonata from 'jsonata'

/**
 * Evaluates JSON with `{% … %}` in it as Step Functions does: an expression without a result is an error.
 * `variables` are given without `$`.
 */
export async function evaluate(
  template: unknown,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (typeof template === 'string' && template.startsWith('{%') && template.endsWith('%}')) {
    const expression = jsonata(template.slice(2, -2))
    expression.registerFunction('parse', (text: string) => JSON.parse(text))
    const result: unknown = await expression.evaluate(undefined, { ...variables })
    if (result === undefined) throw new Error(`${template} has no result`)
    // JSONata's own lists carry marks that JSON does not know.
    return JSON.parse(JSON.stringify(result))
  }
  if (Array.isArray(template)) return Promise.all(template.map((item) => evaluate(item, variables)))
  if (typeof template !== 'object' || template === null) return template
  const fields = Object.entries(template).map(async ([name, field]) => [
    name,
    await evaluate(field, variables),
  ])
  return Object.fromEntries(await Promise.all(fields))
}
