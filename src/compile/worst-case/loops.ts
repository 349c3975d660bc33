import type { States } from '../asl.ts'
import type { LoopBound } from './bounds.ts'

export interface Loops {
  /** The loop at whose head this state stands. */
  headedBy(state: string): LoopBound | undefined
  /** Whether going from one state to another is another time of a loop, and not its first. */
  isBack(from: string, to: string): boolean
}

/** The loops of a scope. Into each one state leads from outside, its entry. */
export function loopsOf({ States }: States, bounds: ReadonlyMap<string, LoopBound>): Loops {
  const headedBy = (name: string) => (name in States ? bounds.get(name) : undefined)
  return {
    headedBy,
    isBack: (from, to) => {
      const loop = headedBy(to)
      return loop !== undefined && from !== loop.entry
    },
  }
}
