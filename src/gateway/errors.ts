import type { Context } from 'hono'
import type * as z from 'zod'
import { type FailureName, InvalidInput, TurnwiseError, toFailure } from '../core/errors.ts'

// `Interrupted` and `Timeout`: of a request that comes too late, such as an answer to what nobody waits for any more.
const STATUS = {
  InvalidInput: 400,
  NotFound: 404,
  Denied: 403,
  Throttled: 429,
  ExternalService: 502,
  Timeout: 409,
  Interrupted: 409,
  ContextOverflow: 500,
  Internal: 500,
} as const satisfies Record<FailureName, number>

/** A request that does not fit, field by field. */
class InvalidRequest extends InvalidInput {
  readonly fields: readonly { readonly field: string; readonly problem: string }[]

  constructor(fields: InvalidRequest['fields']) {
    super(fields.map(({ field, problem }) => (field === '' ? problem : `${field}: ${problem}`)).join('; '))
    this.fields = fields
  }
}

/** Reads a part of a request; what does not fit becomes a 400 that names each field. */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new InvalidRequest(
    parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), problem: message })),
  )
}

/** An error as the client sees it: whose problem it is, what was wrong and, for a wrong field, where. */
export function answerError(error: Error, context: Context): Response {
  // What is not of the family is our fault, and its message may tell of our insides.
  if (!(error instanceof TurnwiseError)) {
    console.error(error)
    return context.json(
      { error: { name: 'Internal', message: 'Something went wrong here; the log has the rest' } },
      500,
    )
  }
  const fields = error instanceof InvalidRequest ? { fields: error.fields } : {}
  return context.json({ error: { ...toFailure(error), ...fields } }, STATUS[error.name])
}
