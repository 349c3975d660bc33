import type { Branch, State } from './machine.ts'
import type { Report } from './report.ts'

/**
 * Step Functions: a variable of an inner scope may not have the name of one of an outer scope. What a distributed Map runs cannot read outer ones;
 * whether it may assign variables of their names is not said, so that it may not.
 */
export function checkVariables(
  { states }: Branch,
  path: string,
  report: Report,
  outer: ReadonlySet<string> = new Set(),
): void {
  const own = states.map((state) => ({
    state,
    names: assignedBy(state),
    place: `${path}/States/${state.name}`,
  }))
  for (const { names, place } of own)
    for (const name of names)
      if (outer.has(name))
        report(`The variable ${name} is assigned in an outer scope already`, `${place}/Assign`)
  const inner = new Set([...outer, ...own.flatMap(({ names }) => names)])
  for (const { state, place } of own)
    state.branches.forEach((branch, index) => {
      checkVariables(
        branch,
        state.Type === 'Map' ? `${place}/ItemProcessor` : `${place}/Branches[${index}]`,
        report,
        inner,
      )
    })
}

/** By the state itself, its choice rules and its catchers. */
function assignedBy(state: State): readonly string[] {
  const rules = [
    state,
    ...('Choices' in state ? state.Choices : []),
    ...('Catch' in state && state.Catch !== undefined ? state.Catch : []),
  ]
  return rules.flatMap((rule) =>
    'Assign' in rule && rule.Assign !== undefined ? Object.keys(rule.Assign) : [],
  )
}
