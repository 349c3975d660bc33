import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { ContextOverflow, Denied, ExternalService, Internal, Timeout, TurnwiseError } from '../core/errors.ts'
import { ProviderThrottled, readRetryAfterSeconds } from './throttled.ts'

const LONGEST_MESSAGE = 1_000
/** 529 is what Anthropic and gateways before it answer when overloaded. */
const OVERLOADED = new Set([503, 529])
/** Given up before the request was judged: it came too slowly, or met another one. */
const NOT_OUR_FAULT = new Set([408, 409])
/** Providers without OpenAI's code say it in words. */
const OVERFLOW_WORDS =
  /context[ _]length|context window|maximum context|(prompt|input|request) is too (long|large)|too many (input )?tokens/i

interface Circumstances {
  readonly signal: AbortSignal
  readonly apiKey: string
  readonly model: string
}

/** What a failed exchange is in our words. Providers echo keys in their errors, so the key is taken out. */
export function toModelFailure(error: unknown, { signal, apiKey, model }: Circumstances): TurnwiseError {
  if (error instanceof TurnwiseError) return error
  const message = readable(error, apiKey)
  const options = { cause: error }
  if (signal.aborted) return new Timeout('LLM: no answer within the time for this turn', options)
  if (error instanceof APIConnectionTimeoutError) return new Timeout(`LLM: ${message}`, options)
  if (error instanceof APIConnectionError)
    return new ExternalService('LLM', `no connection: ${message}`, options)
  if (error instanceof APIError && error.status !== undefined) return byStatus(error, message, model)
  return new ExternalService('LLM', message, options)
}

function byStatus(error: APIError<number | undefined>, message: string, model: string): TurnwiseError {
  const status = error.status ?? 0
  const options = { cause: error }
  if (status === 401 || status === 403)
    return new Denied(`LLM: ${message}; set OPENAI_API_KEY to a key that may use ${model}`, options)
  // An empty account is no rush hour: it will be empty later, too.
  if (error.code === 'insufficient_quota') return new ExternalService('LLM', message, options)
  if (status === 429 || OVERLOADED.has(status)) {
    const waitSeconds = error.headers === undefined ? undefined : readRetryAfterSeconds(error.headers)
    return new ProviderThrottled(`LLM: ${message}`, waitSeconds, options)
  }
  if (status >= 500 || NOT_OUR_FAULT.has(status)) return new ExternalService('LLM', message, options)
  if (status === 413 || error.code === 'context_length_exceeded' || OVERFLOW_WORDS.test(message))
    return new ContextOverflow(`LLM: ${message}`, options)
  return new Internal(`LLM refused our request: ${message}`, options)
}

function readable(error: unknown, apiKey: string): string {
  const own = error instanceof Error ? error.message : String(error)
  const cause =
    error instanceof APIConnectionError && error.cause instanceof Error ? ` (${deepest(error.cause)})` : ''
  const message = own + cause
  const safe = apiKey === '' ? message : message.replaceAll(apiKey, '[key]')
  return safe.length > LONGEST_MESSAGE ? `${safe.slice(0, LONGEST_MESSAGE)}…` : safe
}

/** `fetch failed` says nothing; the cause of its cause does: `connect ECONNREFUSED 127.0.0.1:9`. */
function deepest(error: Error): string {
  return error.cause instanceof Error ? deepest(error.cause) : error.message
}
