import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What happens to one request; undefined lets it pass. */
export type Fault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** The service does the work, the caller never learns. */
  | { readonly kind: 'lose-response' }
  /** The service never sees it. */
  | { readonly kind: 'refuse' }
  /** The service sees it twice, one right after the other; the caller has the first answer. */
  | { readonly kind: 'double' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** Runs before it is forwarded, or after the service's answer and before the caller has it. */
  | { readonly kind: 'call-before' | 'call-after'; readonly run: () => void | Promise<void> }

/** One request as it came; `number` counts from 1, `target` is the AWS operation (`DynamoDB_20120810.PutItem`). */
export interface ProxiedRequest {
  readonly number: number
  readonly method: string
  readonly path: string
  readonly target: string | undefined
  readonly body: string
}

type Decide = (request: ProxiedRequest) => Fault | undefined | Promise<Fault | undefined>

export interface FaultProxy {
  readonly url: string
  /** Resolves when the service has no request open. */
  idle(): Promise<void>
  close(): Promise<void>
}

/**
 * An HTTP proxy on 127.0.0.1 in front of `target`, that does to each request what `on` says. A target that moves is asked for
 * before each request is forwarded.
 */
export async function startProxy(options: {
  target: string | (() => string | Promise<string>)
  on: Decide
}): Promise<FaultProxy> {
  let number = 0
  const open = new Set<Promise<Answer>>()
  const forward: Forward = async (exchange) => {
    const target = typeof options.target === 'string' ? options.target : await options.target()
    const forwarding = forwardTo(target, exchange)
    open.add(forwarding)
    return forwarding.finally(() => open.delete(forwarding))
  }
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming)
      const target = incoming.headers['x-amz-target']
      const fault = await options.on({
        number: ++number,
        method: incoming.method ?? 'GET',
        path: incoming.url ?? '/',
        target: typeof target === 'string' ? target : undefined,
        body: body.toString('utf8'),
      })
      await pass(forward, { incoming, body, outgoing }, fault)
    } catch {
      outgoing.destroy() // the service is gone: its caller sees a broken connection, as it would without us
    }
  })
  server.keepAliveTimeout = 0 // no faults but those that were asked for
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listening on TCP: neither null nor a pipe's name
  return {
    url: `http://127.0.0.1:${port}`,
    async idle() {
      while (open.size > 0) await Promise.allSettled(open)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly body: Buffer
  readonly outgoing: ServerResponse
}

interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

type Forward = (exchange: Exchange) => Promise<Answer>

async function pass(forward: Forward, exchange: Exchange, fault: Fault | undefined): Promise<void> {
  const { outgoing } = exchange
  if (fault?.kind === 'refuse') return void outgoing.destroy()
  if (fault?.kind === 'answer') return void outgoing.writeHead(fault.status, fault.headers).end(fault.body)
  if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms))
  if (fault?.kind === 'call-before') await fault.run()
  const answer = await forward(exchange)
  if (fault?.kind === 'double') await forward(exchange)
  if (fault?.kind === 'lose-response') return void outgoing.destroy()
  if (fault?.kind === 'call-after') await fault.run()
  outgoing.writeHead(answer.status, answer.headers).end(answer.body)
}

async function forwardTo(target: string, { incoming, body }: Exchange): Promise<Answer> {
  const forwarded = request(new URL(incoming.url ?? '/', target), {
    ...(incoming.method !== undefined && { method: incoming.method }),
    headers: withoutHopHeaders(incoming.headers),
  })
  forwarded.end(body)
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
  return {
    status: answer.statusCode ?? 502,
    headers: withoutHopHeaders(answer.headers),
    body: await buffer(answer),
  }
}

/** Without what belongs to one connection; bodies are whole here, so Node writes their length itself. */
function withoutHopHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const { connection: _, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...rest } = headers
  return rest
}
