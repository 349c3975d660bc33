import type { Clock } from '../../clock.ts'

/** What the partition of a table, or of an index, has to give. */
export interface Charge {
  /** Says whose units they are: `["orders",null,"S…"]`. */
  readonly bucket: string
  readonly units: number
}

export interface TokenBuckets {
  /** Takes all of them and answers undefined, or takes none and answers the first that has not enough left. */
  reserve<C extends Charge>(charges: readonly C[]): C | undefined
  /** What it really cost; a bucket that has not enough is in debt, and refuses until that is made up. */
  settle(reserved: readonly Charge[], charged: readonly Charge[]): void
}

/**
 * Each bucket holds the units of a second and fills by that much in a second; it is full at first. `onRefusal` is told which
 * one had not enough.
 */
export function createTokenBuckets(
  unitsPerSecond: number,
  clock: Clock,
  onRefusal: (bucket: string) => void,
): TokenBuckets {
  const buckets = new Map<string, { units: number; atMs: number }>()

  function left(bucket: string): number {
    const last = buckets.get(bucket)
    if (last === undefined) return unitsPerSecond
    return Math.min(unitsPerSecond, last.units + ((clock.now() - last.atMs) * unitsPerSecond) / 1_000)
  }
  function take({ bucket, units }: Charge): void {
    const remaining = Math.min(unitsPerSecond, left(bucket) - units)
    if (remaining === unitsPerSecond) buckets.delete(bucket)
    else buckets.set(bucket, { units: remaining, atMs: clock.now() })
  }

  return {
    reserve(charges) {
      const over = charges.find(({ bucket }) => left(bucket) < totalOf(bucket, charges))
      if (over === undefined) charges.forEach(take)
      else onRefusal(over.bucket)
      return over
    },
    settle(reserved, charged) {
      for (const { bucket, units } of reserved) take({ bucket, units: -units })
      charged.forEach(take)
    },
  }
}

const totalOf = (bucket: string, charges: readonly Charge[]): number =>
  charges.reduce((total, charge) => (charge.bucket === bucket ? total + charge.units : total), 0)
