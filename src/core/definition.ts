import type { Callable } from './callable.ts'
import type { Doer } from './doer.ts'
import { stepsOf } from './doer-plan.ts'
import type { Thinker } from './thinker.ts'
import type { Tool } from './tool.ts'

/** A callable by its kind. */
export type Definition = Tool | Thinker | Doer

/** Callables are made by `tool`, `thinker` and `doer` alone, so the kind tells the rest. */
export function asDefinition(callable: Callable): Definition {
  return callable as Definition
}

/** What a definition calls, each with the word for where it says so: `palette`, `step "look up"`. */
export function callsOf(
  definition: Definition,
): readonly { readonly where: string; readonly callable: Definition }[] {
  switch (definition.kind) {
    case 'tool':
      return []
    case 'thinker':
      return definition.palette.map((callable) => ({ where: 'palette', callable: asDefinition(callable) }))
    case 'doer':
      return stepsOf(definition.plan)
        .filter(({ isCode }) => !isCode)
        .map(({ name, callable }) => ({ where: `step "${name}"`, callable: asDefinition(callable) }))
  }
}
