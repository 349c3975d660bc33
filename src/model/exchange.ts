import OpenAI from 'openai'
import { type Catalog, pick } from './catalog.ts'
import { toModelFailure } from './failures.ts'
import { readReply } from './reply.ts'
import { toChatRequest } from './request.ts'
import { withShortWaits } from './short-waits.ts'
import type { Model } from './types.ts'

const OPENAI_URL = 'https://api.openai.com/v1'
/** For what a second try within the turn mends: a dropped connection, a 500, a wait of a second. */
const SHORT_RETRIES = 2
/** The life of a Lambda; what really bounds an exchange is its signal. */
const LONGEST_EXCHANGE_MS = 900_000

/**
 * A model behind any server that speaks OpenAI's chat completions; `baseUrl` ends in `/v1` and defaults to
 * OpenAI. An exchange throws `ProviderThrottled` (with the wait), `ContextOverflow`, `Timeout` (its signal),
 * `Denied` (the key), `Internal` (a request that the provider refuses) or `ExternalService`.
 */
export function createModel(options: { baseUrl?: string; apiKey: string; catalog: Catalog }): Model {
  const { baseUrl = OPENAI_URL, apiKey, catalog } = options
  const client = new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // Left out, these come from the environment, which is the doors' to read.
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: SHORT_RETRIES,
    timeout: LONGEST_EXCHANGE_MS,
    fetch: withShortWaits(fetch),
  })
  return {
    async exchange(request) {
      const entry = pick(catalog, request.grade)
      try {
        const body = await client.chat.completions.create(toChatRequest(request, entry), {
          signal: request.signal,
        })
        return readReply(body, request)
      } catch (error) {
        throw toModelFailure(error, { signal: request.signal, apiKey, model: entry.model })
      }
    },
  }
}
