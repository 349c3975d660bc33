import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { InvocationOutcome } from './invocation-outcome.ts'
import { functionArn, functionNameOf } from './local-function.ts'

/** Lambda: 6 MB for a synchronous request, 1 MB for an asynchronous one. */
const MAXIMUM_REQUEST_BYTES = { RequestResponse: 6 * 1024 * 1024, Event: 1024 * 1024 } as const

export interface InvokeApiDependencies {
  readonly hasFunction: (name: string) => boolean
  /** Whether more requests wait than are taken. */
  readonly isFull: () => boolean
  readonly newRequestId: () => string
  /** Undefined: the stand-in closes and has not begun it. */
  readonly invoke: (request: InvokeRequest) => Promise<InvocationOutcome | undefined>
  /** Has stored the event when it returns. */
  readonly submit: (request: InvokeRequest) => void
}

export interface InvokeRequest {
  readonly requestId: string
  readonly functionName: string
  /** JSON text. */
  readonly payload: string
}

/** The Invoke action of Lambda's API (2015-03-31), as its SDK client speaks it. */
export function createInvokeApi(deps: InvokeApiDependencies): Hono {
  const app = new Hono()
  app.post('/2015-03-31/functions/:function/invocations', async (c) => {
    const given = c.req.param('function')
    const functionName = functionNameOf(given)
    if (functionName === undefined || !deps.hasFunction(functionName)) {
      const arn = functionName === undefined ? given : functionArn(functionName)
      return refuse(c, 404, 'ResourceNotFoundException', `Function not found: ${arn}`)
    }
    const type = c.req.header('x-amz-invocation-type') ?? 'RequestResponse'
    if (type === 'DryRun') return c.body(null, 204)
    if (type !== 'RequestResponse' && type !== 'Event') {
      return refuse(c, 400, 'InvalidParameterValueException', `Unknown invocation type "${type}"`)
    }
    const body = Buffer.from(await c.req.arrayBuffer())
    const maximum = MAXIMUM_REQUEST_BYTES[type]
    if (body.length > maximum) {
      const message = `Request must be smaller than ${maximum} bytes for the InvokeFunction operation`
      return refuse(c, 413, 'RequestTooLargeException', message)
    }
    const payload = body.length === 0 ? '{}' : body.toString('utf8')
    const problem = jsonProblem(payload)
    if (problem !== undefined) {
      const message = `Could not parse request body into json: ${problem}`
      return refuse(c, 400, 'InvalidRequestContentException', message)
    }
    if (deps.isFull()) return refuse(c, 429, 'TooManyRequestsException', 'Rate Exceeded.')
    const request = { requestId: deps.newRequestId(), functionName, payload }
    c.header('x-amzn-requestid', request.requestId)
    if (type === 'RequestResponse') return respond(c, await deps.invoke(request))
    deps.submit(request)
    return c.body(null, 202)
  })
  return app
}

function respond(c: Context, outcome: InvocationOutcome | undefined): Response {
  if (outcome === undefined) return refuse(c, 503, 'ServiceException', 'The stand-in closes')
  c.header('content-type', 'application/json')
  c.header('x-amz-executed-version', '$LATEST')
  if (outcome.kind === 'result') return c.body(outcome.json)
  c.header('x-amz-function-error', 'Unhandled')
  return c.body(JSON.stringify(outcome.error))
}

function refuse(c: Context, status: ContentfulStatusCode, errorType: string, message: string): Response {
  c.header('x-amzn-errortype', errorType)
  return c.json({ Type: status < 500 ? 'User' : 'Service', Message: message }, status)
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
