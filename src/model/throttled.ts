import { Throttled } from '../core/errors.ts'

/** A provider that asked us to come back later, and when it said so. */
export class ProviderThrottled extends Throttled {
  /** Seconds from now, not rounded; undefined when the provider did not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, retryAfterSeconds: number | undefined, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * How long a response asks to wait: `retry-after-ms` (OpenAI), or `Retry-After` in seconds or as a date (RFC
 * 9110, 10.2.3). A date is measured against the response's own `Date`, so that no clock of ours is asked.
 */
export function readRetryAfterSeconds(headers: Headers): number | undefined {
  const milliseconds = toNumber(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds / 1_000
  const retryAfter = headers.get('retry-after')
  const seconds = toNumber(retryAfter)
  if (seconds !== undefined) return seconds
  const differenceMs = Date.parse(retryAfter ?? '') - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(differenceMs) ? undefined : Math.max(0, differenceMs / 1_000)
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}
