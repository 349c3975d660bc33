import * as z from 'zod'
import type { Callable } from '../core/callable.ts'
import { DefinitionError } from '../core/errors.ts'

/** What zod hands to a conversion at each node. */
type Node = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0]

/**
 * The JSON schema of what a model writes to call it. Throws `DefinitionError` with the callable's name and
 * the path of what no provider can take.
 */
export function inputSchema(callable: Pick<Callable, 'kind' | 'name' | 'input'>): Record<string, unknown> {
  return convert(callable.input, 'input', `${callable.kind} "${callable.name}": input`)
}

/**
 * The JSON schema of what a thinker's model writes as its answer: an object, whose defaults are written out.
 * Throws `DefinitionError` as above.
 */
export function answerSchema(callable: Pick<Callable, 'kind' | 'name' | 'output'>): Record<string, unknown> {
  const place = `${callable.kind} "${callable.name}": output`
  const schema = convert(callable.output, 'output', place)
  if (schema.type !== 'object')
    throw new DefinitionError(
      `${place}: an answer is an object, such as z.object({ value: … }); providers take nothing else`,
    )
  return schema
}

function convert(schema: z.ZodType, io: 'input' | 'output', place: string): Record<string, unknown> {
  let problem: string | undefined
  const override = (node: Node) => {
    problem ??= problemOf(node, io)
    adapt(node, io)
  }
  const converted = toJsonSchema(schema, io, place, override)
  if (problem !== undefined) throw new DefinitionError(`${place}${problem}`)
  const { $schema, '~standard': _standard, ...rest } = converted
  return rest
}

function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  place: string,
  override: (node: Node) => void,
) {
  try {
    // Without `any`, the first field that JSON cannot carry throws without saying where it stands.
    return z.toJSONSchema(schema, { io, unrepresentable: 'any', override })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new DefinitionError(
      `${place} has no JSON schema (${message}); is every part of it made with zod 4?`,
      { cause },
    )
  }
}

/**
 * Kinds that JSON cannot carry; zod writes them as an empty schema, which would let a model write anything.
 */
const NOT_JSON = new Set([
  'date',
  'bigint',
  'symbol',
  'undefined',
  'void',
  'map',
  'set',
  'nan',
  'custom',
  'function',
  'file',
  'promise',
])

function problemOf({ zodSchema, jsonSchema, path }: Node, io: 'input' | 'output'): string | undefined {
  const { type } = zodSchema._zod.def
  const where = path
    .filter((step) => step !== 'properties')
    .map((step) => `.${step}`)
    .join('')
  if (NOT_JSON.has(type))
    return `${where}: a ${type} cannot be written as JSON; use a string or a number, and convert it in your code`
  if (type === 'literal' && [...(zodSchema._zod.values ?? [])].some((value) => typeof value === 'bigint'))
    return `${where}: a bigint cannot be written as JSON`
  // The answer that the model writes is what this schema parses, so both sides must be the same.
  if (io === 'output' && (type === 'transform' || type === 'pipe'))
    return `${where}: an answer cannot be transformed; transform it in the code that takes it`
  if (type === 'record' && !hasPlainKeys(jsonSchema))
    return `${where}: the keys of a record are plain strings, providers take no others; use z.object for known keys`
  return undefined
}

function hasPlainKeys({ propertyNames }: Node['jsonSchema']): boolean {
  if (typeof propertyNames !== 'object') return true
  return propertyNames.type === 'string' && Object.keys(propertyNames).length === 1
}

/** Says the same in the words that providers take. */
function adapt({ zodSchema, jsonSchema }: Node, io: 'input' | 'output'): void {
  const { def } = zodSchema._zod
  // That keys are strings is true of all JSON.
  delete jsonSchema.propertyNames
  // Every field of an answer is written, so a default has nothing to say, and strict schemas know no
  // `default`.
  if (io === 'output') delete jsonSchema.default
  // zod drops keys that an object does not name, so none need be written.
  if (def.type === 'object' && jsonSchema.type === 'object') jsonSchema.additionalProperties ??= false
  // Branches that differ in their discriminator exclude each other anyway.
  if (def.type === 'union' && 'discriminator' in def && jsonSchema.oneOf !== undefined) {
    jsonSchema.anyOf = jsonSchema.oneOf
    delete jsonSchema.oneOf
  }
}
