import { callsOf, type Definition } from './definition.ts'
import { stepsOf } from './doer-plan.ts'
import { DefinitionError } from './errors.ts'

/**
 * An agent that is marked read-only may reach nothing that changes things, however far away. Throws `DefinitionError` with the path to what
 * does.
 */
export function requireReadOnly(definition: Definition): void {
  if (definition.kind === 'tool' || !definition.readOnly) return
  const { kind, name } = definition
  const path = pathToChange(definition, name, new Set())
  if (path !== undefined)
    throw new DefinitionError(
      `${kind} "${name}" is marked readOnly, but reaches what changes things: ${path}; take the mark off, or mark what is at the end of the path`,
    )
}

function pathToChange(definition: Definition, path: string, visited: Set<Definition>): string | undefined {
  if (visited.has(definition)) return undefined
  visited.add(definition)
  if (definition.kind === 'tool') return definition.readOnly ? undefined : path
  if (definition.kind === 'doer') {
    const code = stepsOf(definition.plan).find(({ isCode, callable }) => isCode && !callable.readOnly)
    if (code !== undefined) return `${path} → code "${code.name}"`
  }
  for (const { where, callable } of callsOf(definition)) {
    const found = pathToChange(callable, `${path} → ${where} → ${callable.name}`, visited)
    if (found !== undefined) return found
  }
  return undefined
}
