import * as z from 'zod'

/** A value as it goes over the wire: `{ S: 'x' }`, `{ N: '1.5' }`; bytes are base64. */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: boolean }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item }

export type Item = { readonly [name: string]: AttributeValue }

const texts = z.array(z.string())
export const attributeValueSchema: z.ZodType<AttributeValue> = z.lazy(() =>
  z.union([
    z.object({ S: z.string() }),
    z.object({ N: z.string() }),
    z.object({ B: z.string() }),
    z.object({ BOOL: z.boolean() }),
    z.object({ NULL: z.boolean() }),
    z.object({ SS: texts }),
    z.object({ NS: texts }),
    z.object({ BS: texts }),
    z.object({ L: z.array(attributeValueSchema) }),
    z.object({ M: itemSchema }),
  ]),
)
export const itemSchema: z.ZodType<Item> = z.record(z.string(), attributeValueSchema)

/** The same text for what DynamoDB holds to be equal: `1` and `1.0`, sets and maps in any order. */
export function canonicalText(value: AttributeValue): string {
  if ('N' in value) return `N${canonicalNumber(value.N)}`
  if ('NS' in value) return `NS${JSON.stringify(value.NS.map(canonicalNumber).toSorted())}`
  if ('SS' in value) return `SS${JSON.stringify(value.SS.toSorted())}`
  if ('BS' in value) return `BS${JSON.stringify(value.BS.toSorted())}`
  if ('L' in value) return `L${JSON.stringify(value.L.map(canonicalText))}`
  if ('M' in value) {
    const members = Object.entries(value.M).map(([name, member]) => [name, canonicalText(member)])
    return `M${JSON.stringify(members.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))}`
  }
  return JSON.stringify(value)
}

/** The digits of a number without the zeroes around them, and the power of ten of the last: `-0120.50` has `1205` and -1. */
export function significantDigits(text: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  if (digits === '') return { digits, exponent: 0 }
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length }
}

function canonicalNumber(text: string): string {
  const { digits, exponent } = significantDigits(text)
  if (digits === '') return '0'
  return `${text.startsWith('-') ? '-' : ''}${digits}e${exponent}`
}
