/** The attributes that an expression may mean, placeholders resolved; the words of its language are among them. */
export function namesInExpression(
  expression: string,
  placeholders: Readonly<Record<string, string>>,
): readonly string[] {
  const words = expression.match(/(?<![:\w])#?\w+/g) ?? []
  return words.map((word) => placeholders[word] ?? word)
}

/** The placeholder of the value that a key condition wants of an attribute: `:pk` of `#a = :pk AND sk > :sk`. */
export function equalTo(
  attribute: string,
  condition: string,
  placeholders: Readonly<Record<string, string>>,
): string | undefined {
  const comparisons = [...condition.matchAll(/(#?\w+)\s*=\s*(:\w+)/g)]
  return comparisons.find(([, name = '']) => (placeholders[name] ?? name) === attribute)?.[2]
}
