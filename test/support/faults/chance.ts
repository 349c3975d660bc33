import { createHash } from 'node:crypto'

/**
 * A number from 0 to 1 that follows from the seed and from what it is for alone: whatever order things happen in, the same happens
 * to each.
 */
export function chance(seed: number, ...about: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...about]))
    .digest()
  return digest.readUInt32BE(0) / 2 ** 32
}
