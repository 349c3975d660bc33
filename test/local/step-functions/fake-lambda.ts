import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Invocation {
  readonly functionName: string
  readonly invocationType: string
  readonly payload: unknown
}

/** What the function gives: a result, a failure of its code, or a refusal by the service. */
export type Reply =
  | { readonly result: unknown }
  | { readonly functionError: unknown }
  | { readonly status: number; readonly exception: string }

/** The answer of a function that does not answer. */
export const SILENT = new Promise<Reply>(() => {})

/** An endpoint that answers Lambda's Invoke from a function. */
export interface FakeLambda {
  readonly url: string
  /** All that were received, in order. */
  readonly invocations: readonly Invocation[]
  /** Those that are being answered; `SILENT` answers are not. */
  unanswered(): number
  close(): Promise<void>
}

export async function startFakeLambda(
  reply: (invocation: Invocation) => Reply | Promise<Reply>,
): Promise<FakeLambda> {
  const invocations: Invocation[] = []
  let unanswered = 0
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.method !== 'POST') return void response.writeHead(404).end()
    const name = decodeURIComponent(request.url?.split('/')[3] ?? '')
    const invocation: Invocation = {
      functionName: name.slice(name.lastIndexOf(':') + 1),
      invocationType: String(request.headers['x-amz-invocation-type'] ?? 'RequestResponse'),
      payload: body === '' ? undefined : JSON.parse(body),
    }
    invocations.push(invocation)
    const replied = reply(invocation)
    if (replied !== SILENT) unanswered += 1
    const answer = await replied
    unanswered -= 1
    const headers = { 'x-amzn-requestid': 'request-1', 'content-type': 'application/json' }
    if ('exception' in answer) {
      response.writeHead(answer.status, { ...headers, 'x-amzn-errortype': answer.exception })
      response.end(JSON.stringify({ Message: `${answer.exception} said the fake` }))
    } else if (invocation.invocationType === 'Event') {
      response.writeHead(202, headers).end()
    } else {
      const failed = 'functionError' in answer
      response.writeHead(200, {
        ...headers,
        'x-amz-executed-version': '$LATEST',
        ...(failed ? { 'x-amz-function-error': 'Unhandled' } : {}),
      })
      response.end(JSON.stringify(failed ? answer.functionError : answer.result))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The fake listens on no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    invocations,
    unanswered: () => unanswered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
