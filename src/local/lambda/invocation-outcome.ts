import * as z from 'zod'

/** An error as Lambda reports it in a payload. */
export const functionErrorSchema = z.object({
  errorType: z.string(),
  errorMessage: z.string(),
  trace: z.array(z.string()).optional(),
})
export type FunctionError = z.infer<typeof functionErrorSchema>

/** How one invocation ended: with JSON text, or with an error (the answer is 200 in both cases). */
export const invocationOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('result'), json: z.string() }),
  z.object({ kind: z.literal('error'), error: functionErrorSchema }),
])
export type InvocationOutcome = Readonly<z.infer<typeof invocationOutcomeSchema>>

/** Lambda: 6 MB for a synchronous request; a response may be 100 bytes larger. */
const MAXIMUM_RESPONSE_BYTES = 6 * 1024 * 1024 + 100

/** What Lambda says when the process was ended from outside: by a crash of its host, or for its memory. */
export function killed(requestId: string): InvocationOutcome {
  return ended(requestId, 'signal: killed')
}

/** What Lambda says when the process ended in the middle of an invocation. */
export function exited(
  requestId: string,
  code: number | null,
  signal: NodeJS.Signals | null,
): InvocationOutcome {
  if (code === 0) return exitError(requestId, 'Runtime exited without providing a reason')
  if (signal === 'SIGKILL') return killed(requestId)
  return ended(
    requestId,
    signal === null ? `exit status ${code}` : `signal: ${SIGNAL_WORDS[signal] ?? signal}`,
  )
}

/** What Lambda says when the function's time was over; the process is gone then. */
export function timedOut(requestId: string, timeoutSeconds: number): InvocationOutcome {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${timeoutSeconds.toFixed(2)} seconds`
  return { kind: 'error', error: { errorType: 'Sandbox.Timedout', errorMessage } }
}

/** The outcome itself, or the error that Lambda puts in the place of a result that is too large. */
export function withinResponseLimit(outcome: InvocationOutcome): InvocationOutcome {
  if (outcome.kind === 'error' || Buffer.byteLength(outcome.json) <= MAXIMUM_RESPONSE_BYTES) return outcome
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${MAXIMUM_RESPONSE_BYTES} bytes).`
  return { kind: 'error', error: { errorType: 'Function.ResponseSizeTooLarge', errorMessage } }
}

/** Go's words, in which Lambda's supervisor reports signals. */
const SIGNAL_WORDS: Partial<Record<NodeJS.Signals, string>> = {
  SIGABRT: 'aborted',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
}

function ended(requestId: string, reason: string): InvocationOutcome {
  return exitError(requestId, `Runtime exited with error: ${reason}`)
}

function exitError(requestId: string, problem: string): InvocationOutcome {
  const errorMessage = `RequestId: ${requestId} Error: ${problem}`
  return { kind: 'error', error: { errorType: 'Runtime.ExitError', errorMessage } }
}
