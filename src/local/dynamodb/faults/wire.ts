import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

/** What DynamoDB answered: 200 with the operation's output, or 400 with `{ __type, message }`. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends operations to a DynamoDB that looks at no signature. */
export interface Wire {
  /** Rejects when DynamoDB is not reached, and after `close`. */
  send(operation: string, input: unknown): Promise<Answer>
  /** Resolves when DynamoDB has no request open. */
  idle(): Promise<void>
  /** Sends nothing more. */
  close(): Promise<void>
}

/** Any signature will do. */
const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}
const answerBody = z.record(z.string(), z.unknown())

/** A `target` that moves is asked for before each request. */
export function createWire(target: string | (() => string | Promise<string>)): Wire {
  const open = new Set<Promise<Answer>>()
  const agent = new Agent({ keepAlive: true })
  let isClosed = false

  async function exchange(operation: string, input: unknown): Promise<Answer> {
    const url = typeof target === 'string' ? target : await target()
    const headers = { ...HEADERS, 'x-amz-target': `DynamoDB_20120810.${operation}` }
    const sent = request(url, { agent, method: 'POST', headers })
    sent.end(JSON.stringify(input))
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // as Node documents the event
    const body = answerBody.parse(JSON.parse(await text(response)))
    return { status: response.statusCode ?? 500, body }
  }
  async function idle(): Promise<void> {
    while (open.size > 0) await Promise.allSettled(open)
  }

  return {
    async send(operation, input) {
      if (isClosed) throw new Error(`The proxy before DynamoDB is closed and sends no ${operation}`)
      const exchanging = exchange(operation, input)
      open.add(exchanging)
      return exchanging.finally(() => open.delete(exchanging))
    },
    idle,
    async close() {
      isClosed = true
      await idle()
      agent.destroy()
    },
  }
}

/** `ConditionalCheckFailedException`; undefined when it is no error. */
export function errorOf({ status, body }: Answer): string | undefined {
  return status === 200 ? undefined : String(body.__type).split('#').at(-1)
}
