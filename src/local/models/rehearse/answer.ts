import { type Conversation, type JsonObject, textsIn } from './conversation.ts'
import { findByName, findInText } from './find.ts'
import { sample } from './sample.ts'
import {
  alternatives,
  type Field,
  fieldsOf,
  fits,
  isNullable,
  isNumeric,
  listedValues,
  type Schema,
} from './schema.ts'
import { describeOutcomes } from './sentence.ts'

interface Evidence {
  /** Results first, then what the calls were given, then the inputs. */
  readonly sources: readonly unknown[]
  readonly text: string
  readonly sentence: string
  readonly failed: boolean
}

/**
 * An answer that follows the schema, filled from what is known; what is not known is left out, null, or a
 * made-up value of the right form.
 */
export function writeAnswer(schema: Schema, conversation: Conversation): JsonObject {
  const { outcomes, inputs, asked } = conversation
  const results = outcomes.filter((outcome) => !outcome.failed).map((outcome) => outcome.value)
  const evidence: Evidence = {
    sources: [...results, ...outcomes.map((outcome) => outcome.arguments), ...inputs],
    text: [...results.flatMap(textsIn), asked].join('\n'),
    sentence: describeOutcomes(conversation),
    failed: outcomes.some((outcome) => outcome.failed),
  }
  return writeObject(schema, schema, evidence)
}

function writeObject(schema: Schema, root: Schema, evidence: Evidence): JsonObject {
  const written: Record<string, unknown> = {}
  for (const field of fieldsOf(schema)) {
    const value = known(field, root, evidence)
    if (value !== undefined) written[field.name] = value
    else if (field.required)
      written[field.name] = isNullable(field.schema, root) ? null : made(field.schema, root, evidence)
  }
  return written
}

/**
 * A value that the evidence holds for this field: under its name, by presence in a text, or as a list of the
 * same kind.
 */
function known({ name, schema, required }: Field, root: Schema, evidence: Evidence): unknown {
  const given = findByName(name, schema, root, evidence.sources)
  if (given !== undefined) return given
  const [first] = alternatives(schema, root)
  if (first === undefined) return undefined
  if (isFreeText(first)) return isNullable(schema, root) ? undefined : fitLength(evidence.sentence, first)
  if (first.type === 'array') return findList(schema, root, evidence.sources)
  // Any number of the text would fit, so one that may be left out is.
  if (isNumeric(first) && !required) return undefined
  return findInText(schema, root, evidence.text)
}

function isFreeText(schema: Schema): boolean {
  return (
    schema.type === 'string' &&
    listedValues(schema) === undefined &&
    !('pattern' in schema) &&
    !('format' in schema)
  )
}

function fitLength(text: string, { minLength, maxLength }: Schema): string {
  const long = typeof minLength === 'number' ? text.padEnd(minLength, '.') : text
  return typeof maxLength === 'number' && long.length > maxLength
    ? `${long.slice(0, Math.max(0, maxLength - 1))}…`.slice(0, maxLength)
    : long
}

/** The first list among the results that follows the schema, at any depth. */
function findList(schema: unknown, root: Schema, sources: readonly unknown[]): unknown {
  for (const source of sources) {
    if (Array.isArray(source) && source.length > 0 && fits(source, schema, root)) return source
    const inner =
      typeof source === 'object' && source !== null
        ? findList(schema, root, Object.values(source))
        : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

/** A value of the right form for a required field that the evidence says nothing about. */
function made(schema: unknown, root: Schema, evidence: Evidence): unknown {
  const [first] = alternatives(schema, root)
  if (first === undefined) return null
  const listed = listedValues(first)
  if (listed !== undefined) return listed[0]
  if (first.type === 'object') return writeObject(first, root, evidence)
  if (first.type === 'array')
    return Array.from({ length: numberOr(first.minItems, 0) }, () => made(first.items ?? {}, root, evidence))
  if (first.type === 'boolean') return !evidence.failed
  if (isNumeric(first)) return leastNumber(first)
  if (first.type !== 'string') return evidence.sentence
  return isFreeText(first) ? fitLength(evidence.sentence, first) : sample(first)
}

function leastNumber(schema: Schema): number {
  const least = numberOr(
    schema.minimum,
    typeof schema.exclusiveMinimum === 'number' ? schema.exclusiveMinimum + 1 : 0,
  )
  return Math.min(Math.max(0, least), numberOr(schema.maximum, Number.POSITIVE_INFINITY))
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
