import { InvokeCommand, LambdaClient, LambdaServiceException } from '@aws-sdk/client-lambda'
import type { Failure } from './errors.ts'

/** One invocation, as a task asks for it. */
export interface LambdaRequest {
  /** A name or an ARN. */
  readonly functionName: string
  /** JSON text. */
  readonly payload: string | undefined
  readonly invocationType: 'RequestResponse' | 'Event' | 'DryRun'
  readonly qualifier?: string
}

/** The result of `lambda:invoke`, with AWS's names. */
export interface InvocationResult {
  readonly ExecutedVersion?: string
  /** Parsed where it is JSON. */
  readonly Payload?: unknown
  readonly StatusCode: number
  readonly SdkHttpMetadata: unknown
  readonly SdkResponseMetadata: unknown
}

export type InvocationOutcome =
  | { readonly kind: 'succeeded'; readonly result: InvocationResult }
  /** By the function: its code failed. By the service: the function may not have run. */
  | { readonly kind: 'failed'; readonly by: 'function' | 'service'; readonly failure: Failure }

export interface LambdaInvoker {
  /** Never throws: what goes wrong is an outcome. */
  invoke(request: LambdaRequest): Promise<InvocationOutcome>
  close(): void
}

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
  return { invoke, close: () => client.destroy() }

  async function invoke(request: LambdaRequest): Promise<InvocationOutcome> {
    const command = new InvokeCommand({
      FunctionName: request.functionName,
      InvocationType: request.invocationType,
      ...(request.qualifier === undefined ? {} : { Qualifier: request.qualifier }),
      ...(request.payload === undefined ? {} : { Payload: Buffer.from(request.payload) }),
    })
    let headers: Record<string, string> = {}
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
        return { kind: 'failed', by: 'function', failure: functionFailure(text) }
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
