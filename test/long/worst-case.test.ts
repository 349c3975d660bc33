import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAXIMUM_EVENTS } from '../../src/compile/worst-case/worst-case.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { proveWithin } from '../support/doers/run-generated.ts'
import { driveAlong } from '../support/walks/drive-walk.ts'
import { wanderThrough } from '../support/walks/wander-through.ts'

const SEED = Number(process.env.TURNWISE_SEED ?? 1)
/** Driven along the worst walk, which is quick, and sent on ways that are drawn by lot. */
const DRIVEN = 200
const SENT = 60

describe('W5 the computed events are those that the stand-in records', () => {
  it.each([MAXIMUM_EVENTS, 1_200, 300])(
    `along the worst walk of ${DRIVEN} generated doers, where a history takes %d`,
    async (maximumEvents) => {
      for (const doer of fc.sample(generatedDoer, { numRuns: DRIVEN, seed: SEED }))
        for (const history of proveWithin(doer, maximumEvents).worst.histories) {
          const driven = await driveAlong(history)
          expect(history.events).toBeGreaterThanOrEqual(driven.events)
          expect(history.events).toBeLessThanOrEqual(1.2 * driven.events)
        }
    },
  )
})

describe('W5 no way through a machine has more events than were computed', () => {
  it.each([MAXIMUM_EVENTS, 400])(
    `for ${SENT} generated doers, where a history takes %d`,
    async (maximumEvents) => {
      const { close } = await wanderThrough({ doers: SENT, ways: 20, maximumEvents, seed: SEED })
      expect(close).toBeGreaterThan(SENT)
    },
  )
})
