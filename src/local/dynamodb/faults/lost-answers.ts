import type { Dice } from '../../dice.ts'
import type { Item } from './attribute-value.ts'
import { keyText } from './table-schema.ts'

export interface LostAnswers {
  /** Whether the answer to a write of this item is lost, which is then a line in the log. */
  isLost(operation: string, tableName: string, key: Item): boolean
}

/** `share` is from 0 to 1. */
export function createLostAnswers(dice: Dice, share: number, log: (line: string) => void): LostAnswers {
  return {
    isLost(operation, tableName, key) {
      const isLost = dice.roll('response', tableName, keyText(key)) < share
      if (isLost) log(`[fault] ${tableName}: the answer to ${operation} of ${JSON.stringify(key)} is lost`)
      return isLost
    },
  }
}
