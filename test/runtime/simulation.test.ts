import { describe, expect, it } from 'vitest'
import { PROFILES, simulateSeeds } from '../support/simulation/profiles.ts'
import { simulate } from '../support/simulation/simulate.ts'

// Thousands of seeds are in test/long/simulation.test.ts.
const SEEDS = 25
const ERRANDS = 8

describe('W2 W3 every run ends, each turn is committed once, and no call that changes things runs twice', () => {
  it.each(Object.entries(PROFILES))('in a world that is %s', async (_, profile) => {
    const { broken, statuses } = await simulateSeeds(profile, 1, SEEDS)
    expect(broken).toEqual([])
    expect(statuses).not.toHaveProperty('running')
  })
})

describe('W2 W3 a doer under faults: it ends with what its steps gave, begins nothing that it gave up or that was cancelled, and its person is heard', () => {
  it.each(Object.entries(PROFILES))('in a world that is %s', async (_, profile) => {
    const { broken, statuses } = await simulateSeeds({ ...profile, root: 'errand' }, 1, ERRANDS)
    expect(broken).toEqual([])
    expect(statuses).not.toHaveProperty('running')
  })
})

describe('time to recover, on a clock that is skipped', () => {
  it('goes on within 10 s of a crash, at whatever step it came', async () => {
    const calm = await simulate({ seed: 1, steady: true })
    expect(calm).toMatchObject({ status: 'completed', broken: [], crashes: 0 })
    // The longest work that a crash loses and that is done again: one exchange with the model, of 3.5 s here.
    const redoneMs = 3_500
    for (let crashAt = 0; crashAt < calm.steps; crashAt++) {
      const crashed = await simulate({ seed: 1, steady: true, crashAt })
      expect(crashed, `a crash at step ${crashAt}`).toMatchObject({
        status: 'completed',
        broken: [],
        crashes: 1,
      })
      expect(crashed.tookMs - calm.tookMs, `a crash at step ${crashAt}`).toBeLessThanOrEqual(
        10_000 + redoneMs,
      )
    }
  })

  it('goes on within 2 minutes of a lost nudge, and when a lost call is late', async () => {
    const calm = await simulate({ seed: 1, steady: true })
    // A call is late when its event would have aged out (300 s), its tool timed out (60 s) and 30 s more have passed; the sweep sees it then.
    const withinMs = { nudge: 120_000, call: 390_000 + 120_000 }
    const lostKinds = new Set<string | undefined>()
    for (let loseMessage = 0; loseMessage < calm.messages; loseMessage++) {
      const run = await simulate({ seed: 1, steady: true, loseMessage })
      lostKinds.add(run.lost)
      expect(run, `message ${loseMessage}`).toMatchObject({ status: 'completed', broken: [] })
      const limitMs = run.lost === 'call' ? withinMs.call : withinMs.nudge
      expect(run.tookMs - calm.tookMs, `message ${loseMessage}, a ${run.lost}`).toBeLessThanOrEqual(limitMs)
    }
    expect([...lostKinds]).toEqual(expect.arrayContaining(['call', 'nudge']))
  })
})
