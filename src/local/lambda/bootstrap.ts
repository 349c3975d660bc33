// What runs in a function's process: `node bootstrap.mjs <bundle> <handler export> <compile cache>`.
// Bundled beside the functions (type stripping costs 70 ms a start), so it imports nothing that is not Node's.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { FunctionError } from './invocation-outcome.ts'
import type { InvokeMessage, ProcessMessage } from './process-messages.ts'

type Handler = (event: unknown, context: Record<string, unknown>) => unknown

const [bundleFile = '', handlerName = '', compileCache] = process.argv.slice(2)

// Ctrl-C reaches every process of the terminal: the parent decides when this one ends. Without a parent, it ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(1))
process.on('uncaughtException', (error) => endWith(describeError(error), 129))
process.on('unhandledRejection', (reason) =>
  endWith({ ...describeError(reason), errorType: 'Runtime.UnhandledPromiseRejection' }, 128),
)

const handler = await loadHandler()
if (handler !== undefined) {
  process.on('message', (message) => invoke(handler, message as InvokeMessage)) // only our parent holds the channel
  send({ kind: 'ready' })
}

async function loadHandler(): Promise<Handler | undefined> {
  enableCompileCache(compileCache)
  try {
    const loaded: Record<string, unknown> = await import(pathToFileURL(bundleFile).href)
    flushCompileCache() // now: a process ended by SIGKILL would never write it
    const found = loaded[handlerName]
    if (typeof found === 'function') return found as Handler
    endWith(
      { errorType: 'Runtime.HandlerNotFound', errorMessage: `${handlerName} is undefined or not exported` },
      1,
    )
  } catch (error) {
    endWith(describeError(error), 1)
  }
  return undefined
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId, payload, invokedFunctionArn } = message
  const deadlineMs = Date.now() + message.timeoutMs
  process.env._X_AMZN_TRACE_ID = message.traceId // the SDK puts it into the function's own requests
  const context = {
    awsRequestId: requestId,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    invokedFunctionArn,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  }
  try {
    const result = await handler(JSON.parse(payload), context)
    send({ kind: 'result', requestId, json: toJson(result) })
  } catch (error) {
    send({ kind: 'error', requestId, error: describeError(error) })
  }
}

function toJson(result: unknown): string {
  try {
    return JSON.stringify(result) ?? 'null'
  } catch (cause) {
    const error = new Error('Unable to stringify response body', { cause })
    error.name = 'Runtime.MarshalError'
    throw error
  }
}

function describeError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] }
  return { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split('\n') ?? [] }
}

function endWith(error: FunctionError, exitCode: number): void {
  send({ kind: 'fatal', error }, () => process.exit(exitCode))
}

function send(message: ProcessMessage, sent: () => void = () => {}): void {
  process.send?.(message, sent)
}
