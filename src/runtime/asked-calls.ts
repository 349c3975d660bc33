import type { Tool } from '../core/tool.ts'
import type { CallPlace } from '../store/calls.ts'
import { turnCall } from '../store/keys.ts'
import type { AskedCall, Run } from '../store/records.ts'
import type { FunctionId } from './ports.ts'

/** The calls that a turn asked for. */
export interface AskedTurn {
  readonly number: number
  readonly calls: readonly AskedCall[]
}

/** Calls that the turn did not answer itself. */
export const expectedResults = (calls: readonly AskedCall[]): number =>
  calls.filter(({ answered }) => !answered).length

/** A tool's repeat rules, as they are when it is asked for. */
export const toolTarget = ({ readOnly, idempotent, timeoutSeconds }: Tool) =>
  ({ kind: 'tool', readOnly, idempotent, timeoutSeconds }) as const

/** Where the result of a turn's call goes. */
export const placeOf = (run: Run, { number, calls }: AskedTurn, entry: number): CallPlace => ({
  ...turnCall(run.id, number, entry),
  expected: expectedResults(calls),
  expiresAt: run.expiresAt,
})

/** Who advances a run: a thinker's own turn function, else `resume`. */
export const nudgeTarget = ({ kind, agent }: Pick<Run, 'kind' | 'agent'>): FunctionId =>
  kind === 'thinker' ? `turn-${agent}` : 'resume'
