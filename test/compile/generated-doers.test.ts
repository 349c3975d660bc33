import { describe, expect, it } from 'vitest'
import { runGenerated } from '../support/doers/run-generated.ts'

describe('N31 a compiled machine', () => {
  it('gives what its plan gives, for generated doers', async () => {
    await runGenerated(40, 1)
  })
})

describe('W5 a machine that is divided into executions of its own', () => {
  it('gives what its plan gives, for generated doers', async () => {
    const { divided } = await runGenerated(40, 2, 200)
    expect(divided).toBeGreaterThan(10)
  })
})
