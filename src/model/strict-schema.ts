/**
 * OpenAI's rules for schemas with `strict: true`
 * (https://developers.openai.com/api/docs/guides/structured-outputs, supported schemas). Keywords that its
 * page does not name count as unsupported: a schema that goes out without `strict` is only a weaker promise,
 * one that is refused fails the run.
 */
const SUPPORTED_KEYWORDS = new Set([
  ...['type', 'description', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
  ...['pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
])
const SUPPORTED_FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
])
const LOOKAROUND = /\(\?<?[=!]/
const MOST_LEVELS = 10
const MOST_PROPERTIES = 5_000
const MOST_ENUM_VALUES = 1_000

interface Totals {
  properties: number
  enumValues: number
}

/**
 * The first rule of strict schemas that this one breaks, with the place (`properties.limit: …`), or undefined
 * when it keeps all.
 */
export function strictProblem(schema: Record<string, unknown>): string | undefined {
  if (schema.type !== 'object') return 'the root must have type object'
  const totals: Totals = { properties: 0, enumValues: 0 }
  const problem = problemOf(schema, '', 0, totals)
  if (problem !== undefined) return problem
  if (totals.properties > MOST_PROPERTIES) return `more than ${MOST_PROPERTIES} properties`
  if (totals.enumValues > MOST_ENUM_VALUES) return `more than ${MOST_ENUM_VALUES} enum values`
  return undefined
}

function problemOf(schema: unknown, path: string, level: number, totals: Totals): string | undefined {
  const place = path === '' ? 'root' : path
  if (!isObject(schema)) return `${place}: not a schema object`
  if (level > MOST_LEVELS) return `${place}: nests deeper than ${MOST_LEVELS} levels`
  const unknown = Object.keys(schema).find((keyword) => !SUPPORTED_KEYWORDS.has(keyword))
  if (unknown !== undefined) return `${place}: '${unknown}' is not permitted`
  if ('$ref' in schema)
    return Object.keys(schema).length === 1
      ? undefined
      : `${place}: $ref cannot have other keywords beside it`
  if (!('type' in schema) && !('anyOf' in schema)) return `${place}: schema must have a 'type' key`
  if (Array.isArray(schema.enum)) totals.enumValues += schema.enum.length
  return (
    textProblem(schema, place) ??
    objectProblem(schema, place, totals) ??
    childProblem(schema, path, level, totals)
  )
}

function textProblem(schema: Record<string, unknown>, place: string): string | undefined {
  if (typeof schema.format === 'string' && !SUPPORTED_FORMATS.has(schema.format))
    return `${place}: format '${schema.format}' is not supported`
  if (typeof schema.pattern === 'string' && LOOKAROUND.test(schema.pattern))
    return `${place}: a pattern cannot look around`
  return undefined
}

function objectProblem(schema: Record<string, unknown>, place: string, totals: Totals): string | undefined {
  const isObjectType = [schema.type].flat().includes('object')
  if (!isObjectType && !('properties' in schema)) return undefined
  if (schema.additionalProperties !== false) return `${place}: 'additionalProperties' must be false`
  const { properties, required } = schema
  if (!isObject(properties) || !Array.isArray(required)) return `${place}: needs 'properties' and 'required'`
  const names = Object.keys(properties)
  totals.properties += names.length
  const optional = names.find((name) => !required.includes(name))
  return optional === undefined
    ? undefined
    : `${place}: 'required' must name every property, '${optional}' is missing`
}

function childProblem(
  schema: Record<string, unknown>,
  path: string,
  level: number,
  totals: Totals,
): string | undefined {
  for (const [step, child, depth] of childrenOf(schema)) {
    const problem = problemOf(child, path === '' ? step : `${path}.${step}`, level + depth, totals)
    if (problem !== undefined) return problem
  }
  return undefined
}

function* childrenOf(schema: Record<string, unknown>): Generator<readonly [string, unknown, 0 | 1]> {
  for (const group of ['properties', '$defs'])
    for (const [name, child] of Object.entries(schema[group] ?? {})) yield [`${group}.${name}`, child, 1]
  if ('items' in schema) yield ['items', schema.items, 1]
  if (Array.isArray(schema.anyOf))
    for (const [index, child] of schema.anyOf.entries()) yield [`anyOf.${index}`, child, 0]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
