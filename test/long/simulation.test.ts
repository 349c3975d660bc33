import { describe, expect, it } from 'vitest'
import { PROFILES, simulateSeeds } from '../support/simulation/profiles.ts'

const SEEDS = 500
/** Other seeds than the quick test's. */
const FIRST_SEED = 10_000

describe('W2 W3 thousands of seeds: every run ends, each turn is committed once, and no call that changes things runs twice', () => {
  it.each(Object.entries(PROFILES))('in a world that is %s', async (name, profile) => {
    const { broken, statuses, crashes, steps } = await simulateSeeds(profile, FIRST_SEED, SEEDS)
    console.info(`${name}: ${SEEDS} seeds, ${steps} steps, ${crashes} crashes, ${JSON.stringify(statuses)}`)
    expect(broken).toEqual([])
    expect(statuses).not.toHaveProperty('running')
  })
})
