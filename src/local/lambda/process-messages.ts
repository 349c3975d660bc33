import * as z from 'zod'
import { functionErrorSchema } from './invocation-outcome.ts'

/**
 * To a function's process: one invocation. Example: `{ requestId: '0c…', payload: '{"a":1}', timeoutMs: 3000,
 * invokedFunctionArn: 'arn:aws:lambda:…:function:orders', traceId: 'Root=1-…;Parent=…;Sampled=0;Lineage=…' }`.
 */
export interface InvokeMessage {
  readonly requestId: string
  /** JSON text. */
  readonly payload: string
  readonly timeoutMs: number
  readonly invokedFunctionArn: string
  /** For `_X_AMZN_TRACE_ID`. */
  readonly traceId: string
}

/**
 * From a function's process: its module is loaded, or cannot be; an invocation's end. After `fatal` the process ends
 * by itself. The function's own code may send anything over the same channel, so what comes is parsed.
 */
export const processMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('result'), requestId: z.string(), json: z.string() }),
  z.object({ kind: z.literal('error'), requestId: z.string(), error: functionErrorSchema }),
  z.object({ kind: z.literal('fatal'), error: functionErrorSchema }),
])
export type ProcessMessage = z.infer<typeof processMessageSchema>
