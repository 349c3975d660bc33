import { describe, expect, it } from 'vitest'
import { runGenerated } from '../support/doers/run-generated.ts'

/** A few seconds, and many where the machine has much else to do. */
const TIMEOUT_MS = 120_000

describe('N31 a compiled machine', () => {
  it(
    'gives what its plan gives, for generated doers',
    async () => {
      await runGenerated(30, 1)
    },
    TIMEOUT_MS,
  )
})

describe('W5 a machine that is split into executions of its own', () => {
  it(
    'gives what its plan gives, for generated doers',
    async () => {
      const { split } = await runGenerated(25, 2, 200)
      expect(split).toBeGreaterThan(8)
    },
    TIMEOUT_MS,
  )
})
