import type { Plan } from '../compile/plan.ts'

interface Planned {
  readonly id: string
}

/** What is new, gone or other in the later of two plans: `tool-refund is new, machine customer_report is other`; empty when they are the same. */
export function planDifference(before: Plan, after: Plan): string {
  return [
    ...differences('', before.functions, after.functions),
    ...differences('machine ', before.machines, after.machines),
  ].join(', ')
}

function differences(
  prefix: string,
  before: readonly Planned[],
  after: readonly Planned[],
): readonly string[] {
  const textsBefore = new Map(before.map((planned) => [planned.id, JSON.stringify(planned)]))
  const textsAfter = new Map(after.map((planned) => [planned.id, JSON.stringify(planned)]))
  const ids = [...new Set([...textsBefore.keys(), ...textsAfter.keys()])].toSorted()
  return ids.flatMap((id) => {
    const [old, now] = [textsBefore.get(id), textsAfter.get(id)]
    if (old === now) return []
    return [`${prefix}${id} is ${old === undefined ? 'new' : now === undefined ? 'gone' : 'other'}`]
  })
}
