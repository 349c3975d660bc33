import * as z from 'zod'
import {
  BOOLEAN,
  bytesOfJson,
  largest,
  listOf,
  NULL,
  NUMBER,
  objectOf,
  ofBytes,
  type Size,
  textOf,
  UNKNOWN,
} from './size.ts'

type Schema = z.core.JSONSchema.BaseSchema
/** A schema, and what its references mean. */
interface Place {
  readonly whole: Schema
  /** References that are being followed: one that comes again has no end. */
  readonly followed: readonly string[]
}

/** How large what a zod schema parses to may become: known where lengths are bounded, at every depth. */
export function sizeOfSchema(schema: z.ZodType): Size {
  const size = known.get(schema)
  if (size !== undefined) return size
  const whole = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  const found = sizeOf(whole, { whole, followed: [] })
  known.set(schema, found)
  return found
}

/** What a schema says never changes. */
const known = new WeakMap<z.ZodType, Size>()

function sizeOf(schema: Schema | boolean | undefined, place: Place): Size {
  if (typeof schema !== 'object') return UNKNOWN
  if (schema.$ref !== undefined) return follow(schema.$ref, place)
  if (schema.const !== undefined) return ofBytes(bytesOfJson(schema.const))
  if (schema.enum !== undefined) return largest(schema.enum.map((value) => ofBytes(bytesOfJson(value))))
  const members = schema.anyOf ?? schema.oneOf
  if (members !== undefined) return largest(members.map((member) => sizeOf(member, place)))
  // `['boolean', 'null']`, though its type says one.
  const types = [schema.type ?? []].flat()
  return largest(types.map((type) => sizeOfType(type, schema, place)))
}

function sizeOfType(type: string, schema: Schema, place: Place): Size {
  switch (type) {
    case 'string':
      return sizeOfText(schema)
    case 'number':
    case 'integer':
      return NUMBER
    case 'boolean':
      return BOOLEAN
    case 'null':
      return NULL
    case 'array':
      return sizeOfList(schema, place)
    case 'object':
      return sizeOfObject(schema, place)
    default:
      return UNKNOWN
  }
}

const UUID_LENGTH = 36

function sizeOfText({ maxLength, format }: Schema): Size {
  if (format === 'uuid') return ofBytes(UUID_LENGTH + 2)
  return maxLength === undefined ? UNKNOWN : textOf(maxLength)
}

function sizeOfList({ items, prefixItems, maxItems }: Schema, place: Place): Size {
  if (prefixItems === undefined)
    return listOf(maxItems, () => sizeOf(Array.isArray(items) ? undefined : items, place))
  return listOf(maxItems, () => largest(prefixItems.map((each) => sizeOf(each, place))))
}

function sizeOfObject({ properties = {}, additionalProperties }: Schema, place: Place): Size {
  const fields = new Map(Object.entries(properties).map(([name, field]) => [name, sizeOf(field, place)]))
  const size = objectOf(fields)
  return additionalProperties === false ? size : { ...size, bytes: undefined }
}

function follow(reference: string, { whole, followed }: Place): Size {
  if (followed.includes(reference)) return UNKNOWN
  const schema = reference === '#' ? whole : whole.$defs?.[reference.replace('#/$defs/', '')]
  return sizeOf(schema, { whole, followed: [...followed, reference] })
}
