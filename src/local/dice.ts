import { createHash } from 'node:crypto'

export interface Dice {
  /**
   * A number from 0 (included) to 1 (not) that follows from the seed, from what it is for and from how often that was rolled for
   * before: whatever order things happen in, the same happens to each.
   */
  roll(...about: readonly string[]): number
}

export function createDice(seed: number): Dice {
  const rolled = new Map<string, number>()
  return {
    roll(...about) {
      const subject = digest([seed, ...about]).toString('base64')
      const times = rolled.get(subject) ?? 0
      rolled.set(subject, times + 1)
      return digest([subject, times]).readUInt32BE(0) / 2 ** 32
    },
  }
}

const digest = (about: readonly (string | number)[]): Buffer =>
  createHash('sha256').update(JSON.stringify(about)).digest()
