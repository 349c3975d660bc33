import * as z from 'zod'
import { itemSchemaOf } from '../../core/artifact.ts'
import { ABSENT, listOf, NULL, objectOf, SCALAR, type Shape, union } from './shape.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema | boolean

/** In a JSON Schema that is read here: which of the artifacts in it this is. */
const ARTIFACT = 'x-turnwise-artifact'

/** A JSON Schema, and the schemas of the items of the artifacts in it. */
interface Whole {
  readonly json: z.core.JSONSchema.BaseSchema
  readonly items: readonly z.ZodType[]
}

/**
 * Reads the JSON Schema of what a zod schema parses to; values that JSON Schema cannot say have no known
 * parts.
 */
export function shapeOfSchema(schema: z.ZodType): Shape {
  const items: z.ZodType[] = []
  const json = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const item = itemSchemaOf(zodSchema)
      // What wraps this schema, such as `optional`, is given its keywords by zod.
      if (item) jsonSchema[ARTIFACT] = items.push(item) - 1
    },
  })
  return ofJsonSchema(json, { json, items })
}

function ofJsonSchema(schema: JsonSchema | undefined, whole: Whole): Shape {
  if (typeof schema !== 'object') return ABSENT
  if (schema.$ref !== undefined) return ofJsonSchema(resolve(schema.$ref, whole.json), whole)
  const members = schema.anyOf ?? schema.oneOf
  if (members !== undefined) return union(members.map((member) => ofJsonSchema(member, whole)))
  if (schema.type === 'null') return NULL
  if (schema.type === 'array') {
    const { items } = schema
    return listOf(() => (Array.isArray(items) ? ABSENT : ofJsonSchema(items, whole)), schema.maxItems)
  }
  if (schema.const !== undefined) return { ...SCALAR, constant: schema.const }
  const object = ofObject(schema, whole)
  const item = whole.items[Number(schema[ARTIFACT])]
  return item === undefined ? object : { ...object, isArtifact: true, item: () => shapeOfSchema(item) }
}

function ofObject(schema: z.core.JSONSchema.BaseSchema, whole: Whole): Shape {
  const parts = schema.allOf ?? []
  return objectOf((name) => {
    const part = parts.find((candidate) => hasField(candidate, name))
    if (part !== undefined) return ofJsonSchema(part, whole).field(name)
    const shape = ofJsonSchema(schema.properties?.[name], whole)
    return schema.required?.includes(name) ? shape : { ...shape, mayBeAbsent: true }
  })
}

function hasField(schema: JsonSchema, name: string): boolean {
  return typeof schema === 'object' && schema.properties?.[name] !== undefined
}

/** References inside one schema are `#` and `#/$defs/NAME`. */
function resolve(reference: string, whole: z.core.JSONSchema.BaseSchema): JsonSchema | undefined {
  return reference === '#' ? whole : whole.$defs?.[reference.replace('#/$defs/', '')]
}
