import { describe, expect, it } from 'vitest'
import { PROFILES, simulateSeeds } from '../support/simulation/profiles.ts'
import { simulate } from '../support/simulation/simulate.ts'

const SEEDS = 500
const ERRANDS = 40
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

describe('W2 W3 a doer: it ends with what its steps gave, begins nothing that it gave up or that was cancelled, and its person is heard', () => {
  it.each(Object.entries(PROFILES))('in a world that is %s', async (name, profile) => {
    const { broken, statuses, crashes, steps } = await simulateSeeds(
      { ...profile, root: 'errand' },
      FIRST_SEED,
      ERRANDS,
    )
    console.info(`${name}: ${ERRANDS} seeds, ${steps} steps, ${crashes} crashes, ${JSON.stringify(statuses)}`)
    expect(broken).toEqual([])
    expect(statuses).not.toHaveProperty('running')
  })

  const steadily = (fault: { readonly crashAt?: number; readonly loseMessage?: number } = {}) =>
    simulate({ seed: 1, root: 'errand', steady: true, ...fault })

  it('goes on after a crash at any step of it, at the latest when the claim of what died is over', async () => {
    const calm = await steadily()
    expect(calm).toMatchObject({ status: 'completed', broken: [], crashes: 0 })
    for (let crashAt = 0; crashAt < calm.steps; crashAt++) {
      const crashed = await steadily({ crashAt })
      expect(crashed, `a crash at step ${crashAt}`).toMatchObject({
        status: 'completed',
        broken: [],
        crashes: 1,
      })
      // A claim is dead after 75 s (a tool's minute, 5 s more of its function, 10 s for clocks that differ). The machine asks less and less often, the last
      // times 75 s and 99 s after the first.
      expect(crashed.tookMs - calm.tookMs, `a crash at step ${crashAt}`).toBeLessThanOrEqual(110_000)
    }
  })

  it('goes on after any message that was lost', async () => {
    const calm = await steadily()
    const lostKinds = new Set<string | undefined>()
    for (let loseMessage = 0; loseMessage < calm.messages; loseMessage++) {
      const run = await steadily({ loseMessage })
      lostKinds.add(run.lost)
      expect(run, `message ${loseMessage}`).toMatchObject({ status: 'completed', broken: [] })
    }
    expect([...lostKinds]).toEqual(expect.arrayContaining(['nudge', 'call', 'tell', 'answered']))
  })
})
