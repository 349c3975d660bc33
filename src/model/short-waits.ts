import { readRetryAfterSeconds } from './throttled.ts'

/**
 * A turn waits inside its function no longer than this for a provider that asks for patience; longer waits
 * are the runtime's, which holds nothing.
 */
export const LONGEST_WAIT_SECONDS = 2

/**
 * A fetch for the openai client, which obeys any `Retry-After` up to a minute. A response that asks for a
 * longer wait than ours is marked with the client's own `x-should-retry: false`, so that it is thrown at
 * once.
 */
export function withShortWaits(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const waitSeconds = readRetryAfterSeconds(response.headers)
    if (response.ok || waitSeconds === undefined || waitSeconds <= LONGEST_WAIT_SECONDS) return response
    const headers = new Headers(response.headers)
    headers.set('x-should-retry', 'false')
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
  }
}
