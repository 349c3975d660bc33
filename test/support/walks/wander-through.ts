import fc from 'fast-check'
import { expect } from 'vitest'
import { worstCaseOf } from '../../../src/compile/worst-case/worst-case.ts'
import { createDice } from '../../../src/local/dice.ts'
import { generatedDoer } from '../doers/generated-doers.ts'
import { proveWithin } from '../doers/run-generated.ts'
import { wander, withoutRetries } from './wander.ts'

export interface Wandering {
  readonly doers: number
  /** Through each history of each doer. */
  readonly ways: number
  readonly maximumEvents: number
  readonly seed: number
}

/**
 * Takes random ways through the machines of generated doers, and expects none to have more events than were computed. Answers
 * how many came close to that: had none, little would be shown.
 */
export async function wanderThrough({ doers, ways, maximumEvents, seed }: Wandering) {
  const { roll } = createDice(seed)
  let close = 0
  for (const doer of fc.sample(generatedDoer, { numRuns: doers, seed })) {
    const { machine, bounds } = proveWithin(doer, maximumEvents)
    for (const { scope, events } of worstCaseOf(withoutRetries(machine), bounds).histories)
      for (let way = 0; way < ways; way++) {
        const wandered = await wander(scope, bounds, () => roll('wander'))
        expect(wandered.events).toBeLessThanOrEqual(events)
        if (wandered.events > 0.9 * events) close += 1
      }
  }
  return { close }
}
