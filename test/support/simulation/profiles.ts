import { type Simulation, simulate } from './simulate.ts'

type Profile = Omit<Simulation, 'seed'>

/** Worlds from calm to hostile. Each chance is per step or per message. */
export const PROFILES = {
  calm: {},
  doubled: { faults: { doubled: 0.5, delayed: 0.2 } },
  faulty: {
    faults: {
      crash: 0.004,
      lostResponse: 0.01,
      lostMessage: 0.02,
      doubled: 0.05,
      delayed: 0.03,
      agedOut: 0.01,
    },
  },
  hostile: {
    faults: { crash: 0.05, lostResponse: 0.05, lostMessage: 0.05, doubled: 0.2, delayed: 0.1, agedOut: 0.05 },
    hang: 0.05,
    badModel: 0.05,
  },
  cancelled: { cancel: true, faults: { delayed: 0.4 } },
  'cancelled in a hostile world': {
    cancel: true,
    faults: { crash: 0.02, lostResponse: 0.02, lostMessage: 0.05, doubled: 0.2, delayed: 0.1 },
    hang: 0.03,
  },
} as const satisfies Record<string, Profile>

export interface Summary {
  readonly statuses: Readonly<Record<string, number>>
  /** `seed 17: …` for each promise that was broken. */
  readonly broken: readonly string[]
  readonly crashes: number
  readonly steps: number
}

/** One simulation per seed, each in a world of its own. */
export async function simulateSeeds(profile: Profile, first: number, count: number): Promise<Summary> {
  const statuses: Record<string, number> = {}
  const broken: string[] = []
  let crashes = 0
  let steps = 0
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await simulate({ seed, ...profile })
    statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1
    broken.push(...outcome.broken.map((what) => `seed ${seed}: ${what}`))
    crashes += outcome.crashes
    steps += outcome.steps
  }
  // Only a model that misbehaves, or one crash after another, may fail a run. A doer has nobody who would try something else.
  const mostCrashes = profile.root === 'errand' ? 0 : 0.01
  const mayFail = 'badModel' in profile || (profile.faults?.crash ?? 0) > mostCrashes
  if (!mayFail && statuses.failed) broken.push(`${statuses.failed} runs failed for no reason of theirs`)
  return { statuses, broken, crashes, steps }
}
