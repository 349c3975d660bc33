import { MAXIMUM_PAYLOAD_BYTES } from './limits.ts'

/** A JSON value together with its text, which the history and the store hold: it is serialised once. */
export interface Document {
  readonly value: unknown
  readonly text: string
}

/** The value must be JSON. */
export function toDocument(value: unknown): Document {
  return { value, text: JSON.stringify(value) }
}

/** Throws a `SyntaxError` when the text is not JSON. */
export function parseDocument(text: string): Document {
  return { value: JSON.parse(text), text }
}

/** Whether the text passes what Step Functions hands from state to state. */
export function isTooLarge(text: string): boolean {
  // A UTF-16 unit is at most 3 bytes of UTF-8, so short texts need no counting.
  return text.length * 3 > MAXIMUM_PAYLOAD_BYTES && Buffer.byteLength(text) > MAXIMUM_PAYLOAD_BYTES
}
