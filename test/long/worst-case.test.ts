import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAXIMUM_EVENTS } from '../../src/compile/worst-case/worst-case.ts'
import { driveAlong } from '../support/doers/drive-walk.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { proveWithin } from '../support/doers/run-generated.ts'

const SEED = Number(process.env.TURNWISE_SEED ?? 1)
const DOERS = 200

describe('W5 the computed events are those that the stand-in records', () => {
  it.each([MAXIMUM_EVENTS, 1_200, 300])(
    `along the worst walk of ${DOERS} generated doers, where a history takes %d`,
    async (maximumEvents) => {
      for (const doer of fc.sample(generatedDoer, { numRuns: DOERS, seed: SEED }))
        for (const history of proveWithin(doer, maximumEvents).worst.histories) {
          const driven = await driveAlong(history)
          expect(history.events).toBeGreaterThanOrEqual(driven.events)
          expect(history.events).toBeLessThanOrEqual(1.2 * driven.events)
        }
    },
  )
})
