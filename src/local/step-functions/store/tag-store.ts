import * as z from 'zod'
import type { Database } from './open-database.ts'

const tagRow = z.object({ key: z.string(), value: z.string() })
/** `{ key: 'team', value: 'orders' }` */
export type Tag = z.output<typeof tagRow>

/** Tags of machines. */
export interface TagStore {
  /** In order of key. */
  list(machineArn: string): Tag[]
  /** Replaces the value of a key that is there. */
  save(machineArn: string, tag: Tag): void
  remove(machineArn: string, key: string): void
  removeAll(machineArn: string): void
}

export function createTagStore({ connection }: Database): TagStore {
  const list = connection.prepare('SELECT key, value FROM machine_tag WHERE machine_arn = ? ORDER BY key')
  const save = connection.prepare(
    'INSERT OR REPLACE INTO machine_tag (machine_arn, key, value) VALUES (?, ?, ?)',
  )
  const remove = connection.prepare('DELETE FROM machine_tag WHERE machine_arn = ? AND key = ?')
  const removeAll = connection.prepare('DELETE FROM machine_tag WHERE machine_arn = ?')
  return {
    list: (machineArn) => list.all(machineArn).map((row) => tagRow.parse(row)),
    save(machineArn, { key, value }) {
      save.run(machineArn, key, value)
    },
    remove(machineArn, key) {
      remove.run(machineArn, key)
    },
    removeAll(machineArn) {
      removeAll.run(machineArn)
    },
  }
}
