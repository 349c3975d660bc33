import { isJsonObject, type JsonObject } from './conversation.ts'

/** A JSON schema, or a part of one; references in it are looked up in its `root`. */
export type Schema = JsonObject

const DEEPEST = 8

/**
 * What a value may follow: a schema with its references and unions taken apart, one type each, `null` left
 * out.
 */
export function alternatives(schema: unknown, root: Schema, depth = 0): Schema[] {
  if (!isJsonObject(schema) || depth > DEEPEST) return []
  if (typeof schema.$ref === 'string') return alternatives(lookUp(schema.$ref, root), root, depth + 1)
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches)) return branches.flatMap((branch) => alternatives(branch, root, depth + 1))
  const types = typeOf(schema).filter((type) => type !== 'null')
  if (types.length > 0) return types.map((type) => ({ ...schema, type }))
  return 'enum' in schema || 'const' in schema || typeOf(schema).length === 0 ? [schema] : []
}

export function isNullable(schema: unknown, root: Schema, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > DEEPEST) return false
  if (typeof schema.$ref === 'string') return isNullable(lookUp(schema.$ref, root), root, depth + 1)
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches)) return branches.some((branch) => isNullable(branch, root, depth + 1))
  return typeOf(schema).includes('null') || (Array.isArray(schema.enum) && schema.enum.includes(null))
}

export interface Field {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
}

export function fieldsOf(schema: Schema): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
  }))
}

/** The values that a schema lists, null left out; undefined where it lists none. */
export function listedValues(schema: Schema): unknown[] | undefined {
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum.filter((value) => value !== null) : undefined
}

/** Whether a value follows a schema, as far as a tool's result and an answer need it. */
export function fits(value: unknown, schema: unknown, root: Schema): boolean {
  if (value === null) return isNullable(schema, root)
  return alternatives(schema, root).some((alternative) => fitsOne(value, alternative, root))
}

function fitsOne(value: unknown, schema: Schema, root: Schema): boolean {
  const listed = listedValues(schema)
  if (listed !== undefined) return listed.includes(value)
  if (!('type' in schema)) return true
  if (typeof value === 'string') return schema.type === 'string' && fitsText(value, schema)
  if (typeof value === 'number') return isNumeric(schema) && fitsNumber(value, schema)
  if (typeof value === 'boolean') return schema.type === 'boolean'
  if (Array.isArray(value)) return schema.type === 'array' && fitsList(value, schema, root)
  return isJsonObject(value) && schema.type === 'object' && fitsObject(value, schema, root)
}

function fitsList(items: readonly unknown[], schema: Schema, root: Schema): boolean {
  const isCounted = isWithin(items.length, schema.minItems, schema.maxItems)
  return isCounted && items.every((item) => fits(item, schema.items ?? {}, root))
}

function fitsObject(object: JsonObject, schema: Schema, root: Schema): boolean {
  const fields = new Map(fieldsOf(schema).map((field) => [field.name, field]))
  const isComplete = [...fields.values()].every((field) => !field.required || field.name in object)
  const rest = schema.additionalProperties ?? {}
  const allows = (key: string, value: unknown) => {
    const field = fields.get(key)
    return field === undefined
      ? rest !== false && fits(value, rest === true ? {} : rest, root)
      : fits(value, field.schema, root)
  }
  return isComplete && Object.entries(object).every(([key, value]) => allows(key, value))
}

export function fitsText(text: string, schema: Schema): boolean {
  if (!isWithin(text.length, schema.minLength, schema.maxLength)) return false
  // zod writes a pattern beside every format but this one.
  if (schema.format === 'uri' && !URL.canParse(text)) return false
  return typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(text)
}

export function fitsNumber(number: number, schema: Schema): boolean {
  if (schema.type === 'integer' && !Number.isInteger(number)) return false
  const isAbove = typeof schema.exclusiveMinimum !== 'number' || number > schema.exclusiveMinimum
  const isBelow = typeof schema.exclusiveMaximum !== 'number' || number < schema.exclusiveMaximum
  return isAbove && isBelow && isWithin(number, schema.minimum, schema.maximum)
}

export function isNumeric(schema: Schema): boolean {
  return schema.type === 'number' || schema.type === 'integer'
}

function isWithin(number: number, least: unknown, most: unknown): boolean {
  return (typeof least !== 'number' || number >= least) && (typeof most !== 'number' || number <= most)
}

function typeOf(schema: Schema): unknown[] {
  return 'type' in schema ? [schema.type].flat() : []
}

/** `#`, or `#/$defs/Name`. */
function lookUp(reference: string, root: Schema): unknown {
  const steps = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '')
  return steps.reduce<unknown>((value, step) => (isJsonObject(value) ? value[step] : undefined), root)
}
