import { createDice } from '../dice.ts'
import type { Fault, Faults, FaultyInvocation } from '../lambda/faults.ts'

/** The share of the table's writes whose answer is lost. */
export const LOST_WRITE_ANSWERS = 0.02
const LONGEST_DELAY_MS = 3_000

/**
 * What goes wrong with invocations on a bad day: of a hundred, ten are late, five run twice, two are lost (an event never runs, an
 * answer never comes) and two find Lambda out of order. It follows from the seed and from which attempt at its function an
 * invocation is, the first since the start, the second and so on, retries included: where attempts come in another order, the
 * same faults meet others of them.
 */
export function createRandomFaults(seed: number, log: (line: string) => void): Faults {
  const dice = createDice(seed)
  return (invocation) => {
    const roll = (about: string) => dice.rollOnce(about, invocation.functionName, String(invocation.number))
    const fault = faultOf(invocation, roll('kind'), roll('time'))
    if (fault !== undefined)
      log(`[fault] ${invocation.functionName} ${invocation.requestId}: ${JSON.stringify(fault)}`)
    return fault
  }
}

function faultOf({ type }: FaultyInvocation, kind: number, time: number): Fault | undefined {
  const ms = Math.ceil(LONGEST_DELAY_MS * time)
  if (kind < 0.1) return { kind: 'delay', ms }
  if (kind < 0.15) return { kind: 'double', afterMs: ms }
  if (kind < 0.17) return { kind: type === 'Event' ? 'lose' : 'lose-answer' }
  if (kind < 0.19) return { kind: 'refuse', exception: 'ServiceException', status: 500 }
  return undefined
}
