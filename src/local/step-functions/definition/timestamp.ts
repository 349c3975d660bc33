const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970 of `2026-03-14T01:59:00Z`, with any offset and up to nanoseconds; undefined for any other text. */
export function parseTimestamp(text: string): number | undefined {
  if (!TIMESTAMP.test(text)) return undefined
  const timeMs = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
  return Number.isNaN(timeMs) ? undefined : timeMs
}
