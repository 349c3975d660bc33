import type { Branch, State } from './machine.ts'
import type { Report } from './report.ts'

/** Every state is reached, every target exists in the same branch, and every state that is left says where to. */
export function checkTransitions({ startAt, states }: Branch, path: string, report: Report): void {
  const byName = new Map(states.map((state) => [state.name, state]))
  if (!byName.has(startAt))
    report(`MISSING_TRANSITION_TARGET: Missing 'StartAt' target: ${startAt}`, `${path}/StartAt`)
  for (const state of states) {
    const place = `${path}/States/${state.name}`
    if ('End' in state || 'Next' in state || isLeft(state)) checkWayOut(state, place, report)
    for (const target of targets(state))
      if (!byName.has(target)) report(`MISSING_TRANSITION_TARGET: Missing 'Next' target: ${target}`, place)
  }
  const reached = reachable(byName, startAt)
  for (const { name } of states)
    if (!reached.has(name))
      report(`MISSING_TRANSITION_TARGET: State "${name}" is not reachable.`, `${path}/States`)
}

function isLeft({ Type }: State): boolean {
  return Type !== 'Choice' && Type !== 'Succeed' && Type !== 'Fail'
}

function checkWayOut(state: State, place: string, report: Report): void {
  const next = 'Next' in state && state.Next !== undefined
  const end = 'End' in state && state.End === true
  if (next === end) report('A state must have exactly one of [Next, End]', place)
}

function targets(state: State): string[] {
  const rules = [
    ...('Choices' in state ? state.Choices : []),
    ...('Catch' in state && state.Catch !== undefined ? state.Catch : []),
  ]
  const one = state.Type === 'Choice' ? state.Default : 'Next' in state ? state.Next : undefined
  return [...rules.map(({ Next }) => Next), ...(one === undefined ? [] : [one])]
}

function reachable(byName: ReadonlyMap<string, State>, startAt: string): Set<string> {
  const reached = new Set<string>()
  const open = [startAt]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = byName.get(name)
    if (state === undefined || reached.has(name)) continue
    reached.add(name)
    open.push(...targets(state))
  }
  return reached
}
