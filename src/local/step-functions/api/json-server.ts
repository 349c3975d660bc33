import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ApiError } from '../errors.ts'
import type { Operation } from './operation.ts'

const TARGET = /^AWSStepFunctions\.(\w+)$/
const HOST = '127.0.0.1'

export interface JsonServer {
  /** `http://127.0.0.1:40123` */
  readonly url: string
  close(): Promise<void>
}

/** Serves the AWS JSON 1.0 protocol on loopback: the operation's name in `X-Amz-Target`, JSON in, JSON out. Signatures are not looked at. */
export async function startJsonServer(
  operations: Record<string, Operation>,
  port: number,
): Promise<JsonServer> {
  const server = createServer((request, response) => {
    void answer(operations, request, response)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port')
  return {
    url: `http://${HOST}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  operations: Record<string, Operation>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, body: unknown) => {
    response.writeHead(status, {
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-requestid': randomUUID(),
    })
    response.end(JSON.stringify(body))
  }
  try {
    const run = findOperation(operations, request.headers['x-amz-target'])
    send(200, await run(parseBody(await text(request))))
  } catch (error) {
    if (error instanceof ApiError) send(400, { __type: error.name, message: error.message })
    else
      send(500, {
        __type: 'InternalFailure',
        message: error instanceof Error ? error.message : String(error),
      })
  }
}

function findOperation(
  operations: Record<string, Operation>,
  target: string | string[] | undefined,
): Operation {
  const name = typeof target === 'string' ? TARGET.exec(target)?.[1] : undefined
  const found = name !== undefined && Object.hasOwn(operations, name) ? operations[name] : undefined
  if (found === undefined)
    throw new ApiError(
      'UnknownOperationException',
      `This stand-in has no operation ${String(target)}; it has ${Object.keys(operations).join(', ')}`,
    )
  return found
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body)
  } catch {
    throw new ApiError('SerializationException', 'The body is not JSON')
  }
}
