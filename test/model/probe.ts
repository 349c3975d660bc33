import catalogFile from '../../catalog.json' with { type: 'json' }
import { parseCatalog } from '../../src/model/catalog.ts'
import { createModel } from '../../src/model/exchange.ts'
import type { Exchange } from '../../src/model/types.ts'

export const KEY = 'sk-canary-7f3a'
export const catalog = parseCatalog(catalogFile)

/** The production model, against a server of this process. */
export function modelAt(server: { readonly url: string }, entries: Partial<typeof catalog> = {}) {
  return createModel({ baseUrl: server.url, apiKey: KEY, catalog: { ...catalog, ...entries } })
}

export const answer = {
  name: 'order_agent',
  schema: {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  },
}

/** A question to an agent without tools, with what a test wants otherwise. */
export function ask(changes: Partial<Exchange> = {}): Exchange {
  return {
    grade: 'small',
    outputSize: 'compact',
    messages: [
      { role: 'system', text: 'You answer questions about orders.' },
      { role: 'user', text: '{"question":"Where is order A-1007?"}' },
    ],
    tools: [],
    answer,
    signal: new AbortController().signal,
    ...changes,
  }
}
