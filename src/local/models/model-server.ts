import { setTimeout as wait } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { examineRequest, type Refusal } from './strict-requests.ts'
import type { ChatRequest } from './wire.ts'

/**
 * What a model answers: text, calls, or a raw response for all that goes wrong with providers. Nothing is
 * sent before `delayMs` has passed.
 */
export type ModelReply = { readonly delayMs?: number } & (SpokenReply | RawReply)

export interface SpokenReply {
  readonly text?: string
  /** Arguments are an object, or text that is sent as it is, to be malformed. Ids are made when left out. */
  readonly calls?: readonly {
    readonly name: string
    readonly arguments: object | string
    readonly id?: string
  }[]
  /** Default `tool_calls` or `stop`; with `length` the model was cut. */
  readonly finishReason?: 'length' | 'content_filter'
  readonly refusal?: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}
export interface RawReply {
  readonly status: number
  /** Text is sent as it is, anything else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A refused request: the 400 that was answered and the body that earned it. */
export interface RecordedRefusal extends Refusal {
  readonly body: unknown
}

export interface ModelServer {
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly url: string
  /** Accepted requests, in the order of their arrival. */
  readonly requests: readonly ChatRequest[]
  readonly refusals: readonly RecordedRefusal[]
  /** Ends the server and all its open connections. */
  close(): Promise<void>
}

interface ServerOptions {
  /** The model's name in replies. */
  readonly model: string
  readonly port: number
  /**
   * Called once for each accepted request; `index` counts from 0. A throw is answered with 400, and recorded.
   */
  reply(request: ChatRequest, index: number): ModelReply | Promise<ModelReply>
}

/** Serves chat completions on loopback. Requests that a real provider refuses never reach `reply`. */
export async function startModelServer({ model, port, reply }: ServerOptions): Promise<ModelServer> {
  const requests: ChatRequest[] = []
  const refusals: RecordedRefusal[] = []
  const app = new Hono()

  app.post('/v1/chat/completions', async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined)
    const refuse = ({ message, param }: Refusal) => {
      refusals.push({ message, param, body })
      return context.json({ error: { message, type: 'invalid_request_error', param, code: null } }, 400)
    }
    const examined = examineRequest(body)
    if (examined.kind === 'refused') return refuse(examined)
    const index = requests.push(examined.request) - 1
    const answer = await attempt(() => reply(examined.request, index))
    if (answer instanceof Error) return refuse({ message: answer.message, param: null })
    if (answer.delayMs !== undefined) await wait(answer.delayMs, undefined, { ref: false })
    if (!('status' in answer)) return context.json(toCompletion(model, index, answer, examined.request))
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    // A script may use any status, also those that Hono's types reserve for empty bodies.
    return context.body(text, answer.status as ContentfulStatusCode, {
      'content-type': 'application/json',
      ...answer.headers,
    })
  })

  return listen(app, port, { requests, refusals })
}

async function attempt(reply: () => ModelReply | Promise<ModelReply>): Promise<ModelReply | Error> {
  try {
    return await reply()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function listen(
  app: Hono,
  port: number,
  record: Pick<ModelServer, 'requests' | 'refusals'>,
): Promise<ModelServer> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address) => {
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          if ('closeAllConnections' in server) server.closeAllConnections()
        })
      resolve({ url: `http://127.0.0.1:${address.port}/v1`, ...record, close })
    })
    server.once('error', reject)
  })
}

/**
 * A body of chat completions, such as
 * `{"id":"chatcmpl-0","choices":[{"index":0,"finish_reason":"stop","message":{…}}],…}`.
 */
function toCompletion(model: string, index: number, reply: SpokenReply, request: ChatRequest) {
  const calls = (reply.calls ?? []).map((call, place) => ({
    id: call.id ?? `call_${index}_${place}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }))
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    refusal: reply.refusal ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const inputTokens = reply.usage?.inputTokens ?? countTokens([request.messages, request.tools])
  const outputTokens = reply.usage?.outputTokens ?? countTokens(message)
  return {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      { index: 0, message, finish_reason: reply.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop') },
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }
}

/** Near enough to a tokenizer: four characters each. */
function countTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4)
}
