import type { Dice } from '../../dice.ts'
import type { GlobalIndex } from './table-schema.ts'
import type { OpenTable } from './tables.ts'

export interface ReadPlaces {
  /** The name of the table to read from; what is due there by now has come. `about` says which read it is, for the dice. */
  choose(
    table: OpenTable,
    read: {
      readonly index: GlobalIndex | undefined
      readonly consistent: boolean
      readonly about: readonly string[]
    },
  ): Promise<string>
}

/**
 * A consistent read is of the table, and so is the share `freshReads` of the others; the rest are of its replica, and those of a
 * global secondary index always of its own. So a later read may see less than an earlier one, as it may in DynamoDB.
 */
export function createReadPlaces(dice: Dice, freshReads: number): ReadPlaces {
  return {
    async choose({ schema, replica, indexReplica }, { index, consistent, about }) {
      if (consistent) return schema.name
      const copy = index ? indexReplica : replica
      if (copy === undefined || (!index && dice.roll('read', ...about) < freshReads)) return schema.name
      await copy.catchUp()
      return copy.tableName
    },
  }
}
