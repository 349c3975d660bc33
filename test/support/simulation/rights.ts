import { compilePlan } from '../../../src/compile/compile-plan.ts'
import type { Callable } from '../../../src/core/callable.ts'
import { createRegistry } from '../../../src/core/registry.ts'

/** Who may invoke whom is what the plan says, as IAM would hold it. */
export function createRights(agents: readonly Callable[], say: (what: string) => void) {
  const registry = createRegistry(agents.slice(0, 1))
  const places = new Map(
    registry.all.map(({ definition: { name } }) => [name, { name, file: `${name}.ts`, export: name }]),
  )
  const plan = compilePlan(registry, places)
  const invokes = new Map(plan.functions.map((planned) => [planned.id, planned.invokes]))
  return (from: string, to: string): boolean => {
    const isAllowed = invokes.get(from === 'cancel' ? 'gateway' : from)?.includes(to) ?? false
    if (!isAllowed) say(`${from} invoked ${to}, which the plan does not allow`)
    return isAllowed
  }
}
