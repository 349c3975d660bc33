import * as z from 'zod'
import { ApiError } from '../errors.ts'

/** One operation of the API: takes a request's parsed JSON and answers what becomes the response's. Throws `ApiError`. */
export type Operation = (body: unknown) => unknown

/** An operation whose request is read by a schema; what does not fit is a `ValidationException`. */
export function operation<Schema extends z.ZodType>(
  schema: Schema,
  run: (request: z.output<Schema>) => unknown,
): Operation {
  return (body) => {
    const request = schema.safeParse(body)
    if (!request.success) throw new ApiError('ValidationException', z.prettifyError(request.error))
    return run(request.data)
  }
}

/** The same operations, each begun only when `ready` has resolved. */
export function afterwards(
  ready: Promise<void>,
  operations: Readonly<Record<string, Operation>>,
): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(operations).map(([name, run]) => [name, (body: unknown) => ready.then(() => run(body))]),
  )
}

/** Timestamps of the JSON protocol: seconds since 1970, with a fraction. */
export function toSeconds(timeMs: number): number {
  return timeMs / 1_000
}

/** A page's token holds where the next page begins. */
export function toPageToken(start: string): string {
  return Buffer.from(start).toString('base64url')
}

export function fromPageToken(token: string): string {
  return Buffer.from(token, 'base64url').toString()
}
