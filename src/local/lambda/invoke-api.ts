import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { NewEvent } from './event-queue.ts'
import { createLogTail, type LogTail } from './function-log.ts'
import type { Invocation, RunInvocation } from './invocation.ts'
import { type InvokeRequest, readAcknowledged, readInvokeRequest } from './invoke-request.ts'
import type { LocalFunction } from './local-function.ts'
import { type Refusal, refusal, throttled } from './refusal.ts'
import type { Answer, RememberedInvocations } from './remembered-invocations.ts'

export interface InvokeApiDependencies {
  readonly definitionOf: (name: string) => LocalFunction | undefined
  /** Whether more events wait than are taken. */
  readonly isQueueFull: () => boolean
  readonly newRequestId: () => string
  readonly run: RunInvocation
  readonly remembered: RememberedInvocations
  /** Has stored the event when it returns. */
  readonly submit: (event: Omit<NewEvent, 'receivedAtMs'>) => void
}

type ApiContext = Context<{ Bindings: HttpBindings }>

/**
 * The Invoke action of Lambda's API (2015-03-31), as its SDK client speaks it, and what AWS has not:
 * - A RequestResponse that carries the header `x-turnwise-invocation-id` (1–256 characters of the caller's choice) runs
 *   once: a second request with the same id joins it while it runs and is answered from its outcome afterwards, also by
 *   a later stand-in on the same directory. One that was running when the stand-in was killed is answered like a
 *   function that was killed.
 * - The outcome is kept until its caller acknowledges it, with `x-turnwise-acknowledged: map%2F7,a` on any later Invoke
 *   (URL-encoded ids, joined by commas; Node takes 16 KB of headers), or for 30 days.
 * - `GET /invocations/‹id›` answers at once: 404 `{"kind":"unknown"}` when no process was ever given it, else 200
 *   `{"kind":"running"}` or `{"kind":"ended"}`. Who wants the outcome sends the Invoke again.
 */
export function createInvokeApi(deps: InvokeApiDependencies): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.post('/2015-03-31/functions/:function/invocations', async (c) => {
    const acknowledged = readAcknowledged(c.req)
    if ('kind' in acknowledged) return refuse(c, acknowledged)
    deps.remembered.acknowledge(acknowledged)
    const request = await readInvokeRequest(c.req, c.req.param('function'), deps.definitionOf)
    if (request.kind === 'refused') return refuse(c, request)
    if (request.type === 'DryRun') return c.body(null, 204)
    if (request.type === 'RequestResponse') return invokeNow(c, request)
    const requestId = deps.newRequestId()
    c.header('x-amzn-requestid', requestId)
    if (deps.isQueueFull()) return refuse(c, throttled('CallerRateLimitExceeded'))
    deps.submit({ ...request, requestId })
    return c.body(null, 202)
  })
  app.get('/invocations/:id', (c) => {
    const kind = deps.remembered.stateOf(c.req.param('id'))
    return kind === undefined ? c.json({ kind: 'unknown' }, 404) : c.json({ kind })
  })
  return app

  async function invokeNow(c: ApiContext, request: InvokeRequest): Promise<Response> {
    const { functionName, qualifier, payload, trace, executedVersion, rememberedAs } = request
    const requestId = deps.newRequestId()
    const tail = request.wantsLog ? createLogTail() : undefined
    const invocation: Invocation = {
      type: 'RequestResponse',
      requestId,
      functionName,
      qualifier,
      payload,
      trace,
      ...(tail && { log: tail.add }),
    }
    const answer =
      rememberedAs === undefined
        ? { requestId, executedVersion, attempt: await deps.run(invocation, () => true) }
        : await deps.remembered.run(rememberedAs, invocation, executedVersion)
    return respond(c, answer, tail)
  }
}

function respond(
  c: ApiContext,
  { requestId, executedVersion, attempt }: Answer,
  tail?: LogTail | undefined,
): Response {
  c.header('x-amzn-requestid', requestId)
  if (attempt.kind === 'refused') return refuse(c, attempt)
  if (attempt.kind === 'unanswered') return breakConnection(c)
  if (attempt.kind !== 'result' && attempt.kind !== 'error') {
    return refuse(c, refusal(503, 'ServiceException', 'The stand-in closes'))
  }
  c.header('content-type', 'application/json')
  c.header('x-amz-executed-version', executedVersion)
  if (tail !== undefined) c.header('x-amz-log-result', tail.toBase64())
  if (attempt.kind === 'result') return c.body(attempt.json)
  c.header('x-amz-function-error', 'Unhandled')
  return c.body(JSON.stringify(attempt.error))
}

/** The body as AWS spells it: in some exceptions the message's name has a capital. */
function refuse(c: ApiContext, { status, exception, message, reason }: Refusal): Response {
  c.header('x-amzn-errortype', exception)
  const body = {
    ...(reason && { Reason: reason }),
    Type: status < 500 ? 'User' : 'Service',
    [CAPITAL_MESSAGE.has(exception) ? 'Message' : 'message']: message,
  }
  return c.json(body, status as ContentfulStatusCode) // ours are; a fault's is what a test asks for
}

const CAPITAL_MESSAGE = new Set([
  'ResourceNotFoundException',
  'RecursiveInvocationException',
  'ServiceException',
])

function breakConnection(c: ApiContext): Response {
  c.env.incoming.socket.destroy()
  return RESPONSE_ALREADY_SENT
}
