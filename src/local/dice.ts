import { createHash } from 'node:crypto'

/** Numbers from 0 (included) to 1 (not) that follow from a seed. */
export interface Dice {
  /**
   * Follows from the seed, from what it is for and from how often that was rolled for before: whatever order things happen
   * in, the same happens to each. How often is known of the 10,000 that were rolled for last; others begin anew.
   */
  roll(...about: readonly string[]): number
  /** The same for what comes once: nothing is remembered of it. */
  rollOnce(...about: readonly string[]): number
}

const MOST_REMEMBERED = 10_000

export function createDice(seed: number): Dice {
  const rolled = new Map<string, number>() // what was rolled for last is last
  return {
    roll(...about) {
      const subject = subjectOf(seed, about)
      const times = rolled.get(subject) ?? 0
      rolled.delete(subject)
      rolled.set(subject, times + 1)
      const [oldest] = rolled.keys()
      if (rolled.size > MOST_REMEMBERED && oldest !== undefined) rolled.delete(oldest)
      return numberOf(subject, times)
    },
    rollOnce: (...about) => numberOf(subjectOf(seed, about), 0),
  }
}

const subjectOf = (seed: number, about: readonly string[]): string =>
  digest([seed, ...about]).toString('base64')

const numberOf = (subject: string, times: number): number =>
  digest([subject, times]).readUInt32BE(0) / 2 ** 32

const digest = (about: readonly (string | number)[]): Buffer =>
  createHash('sha256').update(JSON.stringify(about)).digest()
