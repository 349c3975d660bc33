const LONGEST_NAME = 60

/**
 * The variable that holds what a node gave: `list_orders_1` for node 1, "list orders". The id makes it
 * unique, and keeps it off the names of JSONata's functions, which a variable would hide. Step Functions: at
 * most 80 characters, beginning with a letter.
 */
export function variableOf({ name, id }: { readonly name: string; readonly id: number }): string {
  const words = name.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/^[^A-Za-z]+/, '')
  return `${words.slice(0, LONGEST_NAME) || 'step'}_${id}`
}
