import { InvalidInput } from '../core/errors.ts'
import { parseExactJson } from '../core/json-text.ts'

const WHOLE_TEXT_IS_ONE_FENCE = /^```(?:json)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```$/is

/**
 * Reads JSON that a model wrote: plain, or as one fenced block that is the whole text (many models fence it
 * also when a JSON format is requested). Nothing is guessed: prose around the JSON is refused, so that it
 * becomes a correction. Keys named `__proto__` are dropped. Throws `InvalidInput` that says what was found.
 */
export function parseJsonText(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') throw new InvalidInput('Expected JSON, found blank text')
  const fenced = WHOLE_TEXT_IS_ONE_FENCE.exec(trimmed)?.[1]
  try {
    return withoutPrototypes(parseExactJson(fenced ?? trimmed))
  } catch (cause) {
    if (cause instanceof InvalidInput) throw cause
    throw new InvalidInput(`Expected JSON, found ${describe(trimmed, cause)}`, { cause })
  }
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPrototypes(inner)]))
}

function describe(text: string, cause: unknown): string {
  // The parser itself has no depth limit; those who walk its value do.
  if (cause instanceof RangeError) return 'JSON that nests too deep'
  const problem = cause instanceof Error ? cause.message : String(cause)
  if (/^[[{]/.test(text)) return `malformed JSON: ${problem}`
  if (text.startsWith('```')) return `a fenced block that is not JSON: ${excerpt(text)}`
  return `text: ${excerpt(text)}`
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
