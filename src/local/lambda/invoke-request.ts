import type { HonoRequest } from 'hono'
import { functionArn, parseFunctionName } from './function-name.ts'
import { type LocalFunction, versionOf } from './local-function.ts'
import { functionNotFound, type Refusal, refusal } from './refusal.ts'

/** Lambda: 6 MB for a synchronous request, 1 MB for an asynchronous one. */
export const MAXIMUM_REQUEST_BYTES = { RequestResponse: 6 * 1024 * 1024, Event: 1024 * 1024 } as const

/** What an Invoke request asks for, once it is known to be sound. */
export interface InvokeRequest {
  readonly kind: 'invoke'
  readonly type: 'RequestResponse' | 'Event' | 'DryRun'
  readonly functionName: string
  readonly qualifier: string | undefined
  /** What the qualifier leads to. */
  readonly executedVersion: string
  /** JSON text. */
  readonly payload: string
  readonly trace: string | undefined
  /** `LogType: Tail`. */
  readonly wantsLog: boolean
  /** The caller's own id of a synchronous invocation, `x-turnwise-invocation-id`, of 1–256 characters. */
  readonly rememberedAs: string | undefined
}

/** Reads the request, or tells with which of Lambda's exceptions it is refused. */
export async function readInvokeRequest(
  request: HonoRequest,
  given: string,
  definitionOf: (name: string) => LocalFunction | undefined,
): Promise<InvokeRequest | Refusal> {
  const named = parseFunctionName(given)
  const definition = named && definitionOf(named.name)
  if (named === undefined || definition === undefined) {
    return functionNotFound(named === undefined ? given : functionArn(named.name))
  }
  const functionName = named.name
  const asked = request.query('Qualifier')
  if (asked !== undefined && named.qualifier !== undefined && asked !== named.qualifier) {
    const message = 'The derived qualifier from the function name does not match the specified qualifier.'
    return refusal(400, 'InvalidParameterValueException', message)
  }
  const qualifier = named.qualifier ?? asked
  const executedVersion = versionOf(definition, qualifier)
  if (executedVersion === undefined) return functionNotFound(functionArn(functionName, qualifier))

  const type = request.header('x-amz-invocation-type') ?? 'RequestResponse'
  if (type !== 'RequestResponse' && type !== 'Event' && type !== 'DryRun') {
    return refusal(400, 'InvalidParameterValueException', `Unknown invocation type "${type}"`)
  }
  const rememberedAs = type === 'RequestResponse' ? request.header('x-turnwise-invocation-id') : undefined
  if (rememberedAs !== undefined && (rememberedAs.length < 1 || rememberedAs.length > 256)) {
    const message = `x-turnwise-invocation-id has ${rememberedAs.length} characters; it takes 1 to 256`
    return refusal(400, 'InvalidParameterValueException', message)
  }
  const payload = type === 'DryRun' ? '{}' : await readPayload(request, type)
  if (typeof payload !== 'string') return payload
  const trace = request.header('x-amzn-trace-id')
  const wantsLog = request.header('x-amz-log-type') === 'Tail'
  return {
    kind: 'invoke',
    type,
    functionName,
    qualifier,
    executedVersion,
    payload,
    trace,
    wantsLog,
    rememberedAs,
  }
}

/** The ids of invocations that the request acknowledges: `x-turnwise-acknowledged: map%2F7,a`. */
export function readAcknowledged(request: HonoRequest): readonly string[] | Refusal {
  const header = request.header('x-turnwise-acknowledged') ?? ''
  try {
    return header
      .split(',')
      .map((id) => decodeURIComponent(id.trim()))
      .filter((id) => id !== '')
  } catch {
    const message = `x-turnwise-acknowledged is "${header}"; it takes URL-encoded ids, joined by commas`
    return refusal(400, 'InvalidParameterValueException', message)
  }
}

async function readPayload(
  request: HonoRequest,
  type: keyof typeof MAXIMUM_REQUEST_BYTES,
): Promise<string | Refusal> {
  const body = Buffer.from(await request.arrayBuffer())
  const maximum = MAXIMUM_REQUEST_BYTES[type]
  if (body.length > maximum) {
    const message = `Request must be smaller than ${maximum} bytes for the InvokeFunction operation`
    return refusal(413, 'RequestTooLargeException', message)
  }
  const payload = body.length === 0 ? '{}' : body.toString('utf8')
  const problem = jsonProblem(payload)
  if (problem === undefined) return payload
  return refusal(400, 'InvalidRequestContentException', `Could not parse request body into json: ${problem}`)
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
