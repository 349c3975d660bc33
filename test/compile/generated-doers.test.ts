import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { constructsOf, LEAST_OF_100 } from '../support/doers/constructs.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { runGenerated } from '../support/doers/run-generated.ts'

/** A few seconds, and many where the machine has much else to do. */
const TIMEOUT_MS = 120_000

describe('N31 a compiled machine', () => {
  it(
    'gives what its plan gives, for generated doers',
    async () => {
      const { load, save, code, doer, retried } = await runGenerated(20, 3)
      expect(Math.min(load, code, doer)).toBeGreaterThan(0)
      expect(Math.min(save, retried)).toBeGreaterThan(5)
    },
    TIMEOUT_MS,
  )
})

describe('W5 a machine that is split into executions of its own', () => {
  it(
    'gives what its plan gives, for generated doers',
    async () => {
      const { split } = await runGenerated(20, 2, 200)
      expect(split).toBeGreaterThan(5)
    },
    TIMEOUT_MS,
  )
})

describe('generated doers', () => {
  it('have each construct often enough', () => {
    const constructs = fc.sample(generatedDoer, { numRuns: 100, seed: 1 }).map(constructsOf)
    const rare = Object.entries(LEAST_OF_100)
      .map(([construct, least]) => ({
        construct,
        least,
        is: constructs.filter((one) => one.has(construct)).length,
      }))
      .filter(({ least, is }) => is < least)
    expect(rare).toEqual([])
  })
})
