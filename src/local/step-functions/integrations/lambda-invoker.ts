import { InvokeCommand, LambdaClient, LambdaServiceException } from '@aws-sdk/client-lambda'
import type { Failure } from '../errors.ts'
import type { TaskOutcome } from './integration.ts'
import type { LambdaRequest } from './lambda.ts'

export interface LambdaInvoker {
  /** Never throws: what goes wrong is an outcome. The attempt's id is told to our Lambda, which runs an attempt once. */
  invoke(request: LambdaRequest, attemptId: string): Promise<TaskOutcome>
  /**
   * The same for an attempt that a former process may have sent. Our Lambda remembers attempts: it answers one that it had, and runs one
   * that never arrived. Of another Lambda it is not known, so the attempt counts as failed.
   */
  recover(request: LambdaRequest, attemptId: string): Promise<TaskOutcome>
  /** Lets our Lambda forget an attempt, with the next invocation. */
  acknowledge(attemptId: string): void
  close(): void
}

/** Names a synchronous invocation to our Lambda, which then runs it once, however often it is sent. */
const ATTEMPT_HEADER = 'x-turnwise-invocation-id'

/** Names those whose outcome it need not remember any more. */
const ACKNOWLEDGED_HEADER = 'x-turnwise-acknowledged'
const MAXIMUM_ACKNOWLEDGED = 100

/** The function runs for at most 15 minutes, and the answer must find us listening. */
const SOCKET_TIMEOUT_MS = 16 * 60_000
const MAXIMUM_SOCKETS = 1_000

/** Invokes through the real client, once per request: retries are the state machine's business. */
export function createLambdaInvoker(options: {
  readonly endpoint: string
  readonly region: string
}): LambdaInvoker {
  const client = new LambdaClient({
    ...options,
    maxAttempts: 1,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: SOCKET_TIMEOUT_MS,
      httpAgent: { keepAlive: true, maxSockets: MAXIMUM_SOCKETS },
    },
  })
  const acknowledged = new Set<string>()
  return {
    invoke,
    recover,
    acknowledge: (attemptId) => void acknowledged.add(attemptId),
    close: () => client.destroy(),
  }

  async function recover(request: LambdaRequest, attemptId: string): Promise<TaskOutcome> {
    // Lambda may deliver an event twice, so that functions must bear it anyway.
    if (request.invocationType === 'Event' || (await remembersAttempts(options.endpoint, attemptId)))
      return invoke(request, attemptId)
    const failure = { error: 'Lambda.ServiceException', cause: 'The connection to the function was lost.' }
    return { kind: 'failed', by: 'service', failure }
  }

  async function invoke(request: LambdaRequest, attemptId: string): Promise<TaskOutcome> {
    const command = new InvokeCommand({
      FunctionName: request.functionName,
      InvocationType: request.invocationType,
      ...(request.qualifier === undefined ? {} : { Qualifier: request.qualifier }),
      ...(request.payload === undefined ? {} : { Payload: Buffer.from(request.payload) }),
    })
    let headers: Record<string, string> = {}
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> } // the SDK types the HTTP request as unknown
        headers[ATTEMPT_HEADER] = attemptId
        const done = [...acknowledged].slice(0, MAXIMUM_ACKNOWLEDGED)
        for (const id of done) acknowledged.delete(id)
        if (done.length > 0) headers[ACKNOWLEDGED_HEADER] = done.map(encodeURIComponent).join(',')
        return next(args)
      },
      { step: 'build' },
    )
    command.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        headers = headersOf(answer.response)
        return answer
      },
      { step: 'deserialize', priority: 'low' },
    )
    try {
      const answer = await client.send(command)
      // An empty body, as of an asynchronous invocation, arrives as null, whatever the type says.
      const text = Buffer.from(answer.Payload ?? []).toString()
      if (answer.FunctionError !== undefined)
        return { kind: 'failed', by: 'work', failure: functionFailure(text) }
      const StatusCode = answer.StatusCode ?? 200
      return {
        kind: 'succeeded',
        result: {
          ...(answer.ExecutedVersion === undefined ? {} : { ExecutedVersion: answer.ExecutedVersion }),
          ...(text === '' ? {} : { Payload: parseOrKeep(text) }),
          SdkHttpMetadata: {
            AllHttpHeaders: Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name, [value]]),
            ),
            HttpHeaders: headers,
            HttpStatusCode: StatusCode,
          },
          SdkResponseMetadata: { RequestId: answer.$metadata.requestId ?? '' },
          StatusCode,
        },
      }
    } catch (error) {
      return { kind: 'failed', by: 'service', failure: serviceFailure(error) }
    }
  }
}

/** Whether the endpoint is our Lambda, for which an attempt that is sent again is the same one. */
async function remembersAttempts(endpoint: string, attemptId: string): Promise<boolean> {
  try {
    const response = await fetch(new URL(`/invocations/${encodeURIComponent(attemptId)}`, endpoint))
    const body = await response.text()
    return response.ok || (response.status === 404 && body.includes('"kind":"unknown"'))
  } catch {
    return false
  }
}

function headersOf(response: unknown): Record<string, string> {
  return typeof response === 'object' && response !== null && 'headers' in response
    ? { ...(response.headers as Record<string, string>) } // the SDK types the HTTP response as unknown
    : {}
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** AWS: the error is the payload's errorType (`NotFound`, `Sandbox.Timedout`), the cause is the payload. */
function functionFailure(text: string): Failure {
  const payload = parseOrKeep(text)
  if (
    typeof payload === 'object' &&
    payload !== null &&
    'errorType' in payload &&
    typeof payload.errorType === 'string'
  )
    return { error: payload.errorType, cause: text }
  return {
    error: 'Lambda.Unknown',
    cause: `The cause could not be determined because Lambda did not return an error type. Returned payload: ${text}`,
  }
}

/** AWS: the exception's class behind `Lambda.`; a request that got no answer is a `Lambda.SdkClientException`. */
function serviceFailure(error: unknown): Failure {
  if (!(error instanceof LambdaServiceException))
    return {
      error: 'Lambda.SdkClientException',
      cause: error instanceof Error ? error.message : String(error),
    }
  const { httpStatusCode, requestId } = error.$metadata
  return {
    error: `Lambda.${error.name}`,
    cause: `${error.message} (Service: Lambda, Status Code: ${httpStatusCode}, Request ID: ${requestId ?? ''})`,
  }
}
