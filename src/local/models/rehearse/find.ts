import { isJsonObject } from './conversation.ts'
import { alternatives, fits, fitsNumber, fitsText, isNumeric, listedValues, type Schema } from './schema.ts'
import { mentions } from './words.ts'

/** Long enough for any question that a person types, and short enough for a bad pattern. */
const LONGEST_SEARCHED = 4_000

/**
 * The first value under this name in any of the objects, at any depth (nearer ones first), that follows the
 * schema.
 */
export function findByName(
  name: string,
  schema: unknown,
  root: Schema,
  sources: readonly unknown[],
): unknown {
  let level = sources
  while (level.length > 0) {
    for (const source of level)
      if (
        isJsonObject(source) &&
        Object.hasOwn(source, name) &&
        source[name] !== null &&
        fits(source[name], schema, root)
      )
        return source[name]
    level = level.flatMap((source) =>
      typeof source === 'object' && source !== null ? Object.values(source) : [],
    )
  }
  return undefined
}

/**
 * A value for the schema that stands in a text: a listed value or its synonym, a piece that matches the
 * pattern, a number.
 */
export function findInText(schema: unknown, root: Schema, text: string): unknown {
  for (const alternative of alternatives(schema, root)) {
    const found = findOne(alternative, text.slice(0, LONGEST_SEARCHED))
    if (found !== undefined) return found
  }
  return undefined
}

function findOne(schema: Schema, text: string): unknown {
  const listed = listedValues(schema)
  if (listed !== undefined)
    return listed.find((value) => typeof value !== 'boolean' && mentions(text, String(value)))
  if (schema.type === 'string' && typeof schema.pattern === 'string')
    return findPattern(schema, schema.pattern, text)
  if (isNumeric(schema)) return findNumber(schema, text)
  return undefined
}

function findPattern(schema: Schema, pattern: string, text: string): string | undefined {
  const inner = pattern.replace(/^\^/, '').replace(/\$$/, '')
  const pieces = text.match(new RegExp(`(?<![\\w-])(?:${inner})(?![\\w-])`, 'gu')) ?? []
  return pieces.find((piece) => fitsText(piece, schema))
}

/** A number that stands alone: the 1007 of A-1007 is none. */
function findNumber(schema: Schema, text: string): number | undefined {
  const numbers = text.match(/(?<![\w.-])-?\d+(\.\d+)?(?![\w-]|\.\d)/g) ?? []
  return numbers.map(Number).find((number) => fitsNumber(number, schema))
}
