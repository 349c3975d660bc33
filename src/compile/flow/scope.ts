import type { State, States } from '../asl.ts'
import type { Flow } from './flow.ts'

/** A flow's states as a scope of the machine: those that are reached from the first, in the order in which they were written. */
export function scopeOf(startAt: string, { states }: Flow): States {
  const reached = new Set<string>()
  const open = [startAt]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = states.get(name)
    if (state === undefined) throw new Error(`A machine goes to the state ${name}, which it does not have`)
    if (reached.has(name)) continue
    reached.add(name)
    open.push(...targetsOf(state))
  }
  return { StartAt: startAt, States: Object.fromEntries([...states].filter(([name]) => reached.has(name))) }
}

function targetsOf(state: State): readonly string[] {
  const caught = 'Catch' in state ? (state.Catch ?? []).map(({ Next }) => Next) : []
  if (state.Type === 'Choice') return [...state.Choices.map(({ Next }) => Next), state.Default]
  return 'Next' in state ? [...caught, state.Next] : caught
}
