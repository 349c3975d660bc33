import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

/** A web handler served on 127.0.0.1. */
export interface Listening {
  readonly url: string
  /** Answers what is open, then stops; connections that clients keep for later are cut. */
  close(): Promise<void>
}

/**
 * A server that cuts idle connections after Node's five seconds resets a request that is sent in that moment, and our
 * callers do not repeat; and an invocation may take a quarter of an hour.
 */
const PATIENT = { keepAliveTimeout: 0, requestTimeout: 0 } as const

/** Port 0 takes a free one. Rejects when the port is taken. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch, serverOptions: PATIENT })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: boundPort } = server.address() as AddressInfo // listening on TCP: neither null nor a pipe's name
  return {
    url: `http://127.0.0.1:${boundPort}`,
    async close() {
      const cutter = setInterval(() => 'closeIdleConnections' in server && server.closeIdleConnections(), 20)
      await new Promise((resolve) => server.close(resolve))
      clearInterval(cutter)
    },
  }
}
