import type { Fault } from '../../fault-proxy.ts'
import type { Answer } from './wire.ts'

/**
 * Does one operation; `input` is its JSON. Undefined when DynamoDB is to have the request as it came, as when it will refuse it.
 */
export type Handler = (input: object) => Promise<Fault | undefined>

/** Gives the caller this answer. */
export const answered = ({ status, body }: Answer): Fault => ({
  kind: 'answer',
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
})

/** Breaks the connection: DynamoDB sees no request, but for what a handler sent it already. */
export const LOST: Fault = { kind: 'refuse' }
