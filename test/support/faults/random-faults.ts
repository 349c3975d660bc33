import type { Dice } from '../../../src/local/dice.ts'
import type { Fault } from '../../../src/local/fault-proxy.ts'
import type { RequestPoint } from './watch-runs.ts'

export type FaultKind = 'lost' | 'doubled' | 'delayed' | 'response lost'

export interface RandomFault {
  readonly kind: FaultKind
  readonly fault: Fault
}

const LONGEST_DELAY_MS = 800

/** What happens to a request of a run: Lambda's messages are lost, doubled and delayed; answers of the runs table are lost and delayed. */
export function randomFault(dice: Dice, runId: string, point: RequestPoint): RandomFault | undefined {
  const { name, occurrence } = point
  const roll = dice.rollOnce(runId, name, String(occurrence))
  const ms = LONGEST_DELAY_MS * dice.rollOnce(runId, name, String(occurrence), 'ms')
  const delayed: RandomFault = { kind: 'delayed', fault: { kind: 'delay', ms } }
  if (name.startsWith('Invoke')) {
    if (roll < 0.04) return LOST
    if (roll < 0.12) return { kind: 'doubled', fault: { kind: 'double' } }
    return roll < 0.24 ? delayed : undefined
  }
  // Between a claim and its result is where a death hurts, so that is where time is spent.
  if (name.endsWith(' order')) return roll < 0.5 ? delayed : undefined
  const isWriteOfRun = /^(PutItem|UpdateItem) (RUN|T#)/.test(name)
  if (isWriteOfRun && roll < 0.06) return { kind: 'response lost', fault: { kind: 'lose-response' } }
  return roll > 0.96 ? delayed : undefined
}

/** Lambda says that it has the event, and has it not. */
const LOST: RandomFault = {
  kind: 'lost',
  fault: { kind: 'answer', status: 202, headers: {}, body: '' },
}
