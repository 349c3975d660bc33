import { type AttributeValue, type Item, significantDigits } from './attribute-value.ts'

/**
 * The size of an item in bytes, as capacity is counted: the lengths of its names and values in UTF-8. Source: DynamoDB Developer
 * Guide, "DynamoDB item sizes and formats"; the 100 bytes of an item or an index entry there are storage, not capacity.
 */
export function itemSizeBytes(item: Item): number {
  return sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueSizeBytes(value)))
}

function valueSizeBytes(value: AttributeValue): number {
  if ('S' in value) return Buffer.byteLength(value.S)
  if ('N' in value) return numberSizeBytes(value.N)
  if ('B' in value) return Buffer.byteLength(value.B, 'base64')
  if ('SS' in value) return sum(value.SS.map((member) => Buffer.byteLength(member)))
  if ('NS' in value) return sum(value.NS.map(numberSizeBytes))
  if ('BS' in value) return sum(value.BS.map((member) => Buffer.byteLength(member, 'base64')))
  // A list or map has 3 bytes of its own and 1 for each member.
  if ('L' in value) return 3 + sum(value.L.map((member) => 1 + valueSizeBytes(member)))
  if ('M' in value) return 3 + Object.keys(value.M).length + itemSizeBytes(value.M)
  return 1
}

/** The guide calls it approximate: 1 byte for every two significant digits, and 1. */
const numberSizeBytes = (text: string): number => 1 + Math.ceil(significantDigits(text).digits.length / 2)

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)
