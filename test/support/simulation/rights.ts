import { compilePlan } from '../../../src/compile/compile-plan.ts'
import type { Plan } from '../../../src/compile/plan.ts'
import type { Registry } from '../../../src/core/registry.ts'

export function planOf(registry: Registry): Plan {
  const places = registry.all.map(
    ({ definition: { name } }) => [name, { name, file: `${name}.ts`, export: name }] as const,
  )
  return compilePlan(registry, new Map(places))
}

/** Who may invoke whom is what the plan says, as IAM would hold it. */
export function createRights({ functions, machines }: Plan, say: (what: string) => void) {
  const invokes = new Map([
    ...functions.map((planned) => [planned.id, planned.invokes] as const),
    ...machines.map((planned) => [`machine ${planned.id}`, planned.invokes] as const),
  ])
  return (from: string, to: string): boolean => {
    const isClient = from === 'cancel' || from === 'person'
    const isAllowed = invokes.get(isClient ? 'gateway' : from)?.includes(to) ?? false
    if (!isAllowed) say(`${from} invoked ${to}, which the plan does not allow`)
    return isAllowed
  }
}
