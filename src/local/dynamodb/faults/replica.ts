import type { Clock } from '../../clock.ts'
import type { Dice } from '../../dice.ts'
import type { Wire } from './wire.ts'
import { type Version, writeBatches } from './write-batches.ts'

/** A copy of a table that lags behind it. */
export interface Replica {
  /** The name of the table that holds the copy. */
  readonly tableName: string
  /** Has a version of the item that `id` names come to the copy after a lag of its own, and after the item's earlier versions. */
  add(id: string, version: Version): void
  /** Resolves when the copy holds all that is due. */
  catchUp(): Promise<void>
  /** Resolves when the copy holds all, due or not. */
  settle(): Promise<void>
  /** Drops what has not come yet; resolves when nothing more is written. */
  stop(): Promise<void>
}

interface Pending extends Version {
  readonly dueMs: number
}

/**
 * Versions come when they are due, and before a read asks the copy: what a read sees depends on the clock alone. When DynamoDB is
 * not reached they wait for the next time.
 */
export function createReplica(options: {
  readonly wire: Wire
  readonly tableName: string
  readonly clock: Clock
  readonly dice: Dice
  readonly maximumLagMs: number
}): Replica {
  const { wire, tableName, clock, dice, maximumLagMs } = options
  const pending = new Map<string, Pending[]>()
  let copying: Promise<void> = Promise.resolve()
  let isStopped = false

  /** One after the other, so that no older version overtakes a newer one. */
  function copyUpTo(dueMs: number): Promise<void> {
    const copied = copying.then(async () => {
      const due = [...pending].flatMap(([id, versions]) => {
        const count = versions.filter((version) => version.dueMs <= dueMs).length
        const newest = versions[count - 1]
        return newest ? [{ id, count, newest }] : []
      })
      await writeBatches(
        wire,
        tableName,
        due.map(({ newest }) => newest),
      )
      for (const { id, count } of due) forget(id, count)
    })
    copying = copied.catch(() => {})
    return copied
  }
  function forget(id: string, count: number): void {
    const rest = pending.get(id)?.slice(count) ?? []
    if (rest.length === 0) pending.delete(id)
    else pending.set(id, rest)
  }
  const catchUp = () => copyUpTo(clock.now())

  return {
    tableName,
    add(id, version) {
      if (isStopped) return
      const versions = pending.get(id) ?? []
      const lagMs = Math.floor(dice.roll('lag', tableName, id) * (maximumLagMs + 1))
      const dueMs = Math.max(clock.now() + lagMs, versions.at(-1)?.dueMs ?? 0)
      pending.set(id, [...versions, { ...version, dueMs }])
      clock.setTimer(dueMs - clock.now(), () => void catchUp().catch(() => {}))
    },
    catchUp,
    settle: () => copyUpTo(Number.POSITIVE_INFINITY),
    stop() {
      isStopped = true
      pending.clear()
      return copying
    },
  }
}
