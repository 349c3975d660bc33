/** Whose problem a failure is. Step Functions matches these strings, so they are literals and survive minifying. */
export const FAILURE_NAMES = [
  'InvalidInput',
  'NotFound',
  'ExternalService',
  'Throttled',
  'Timeout',
  'Denied',
  'Interrupted',
  'ContextOverflow',
  'Internal',
] as const
export type FailureName = (typeof FAILURE_NAMES)[number]

/** A failure as data: what the record holds, what a caller is told. Never a stack. Example: `{ name: 'NotFound', message: 'No order "A-1"' }`. */
export interface Failure {
  readonly name: FailureName
  readonly message: string
}

/** The base of the family: an error whose message is written for whoever called, a model included. */
export abstract class TurnwiseError extends Error {
  abstract override readonly name: FailureName
}

/** The caller asked wrongly; the message says how to ask right, so that it can correct the call. */
export class InvalidInput extends TurnwiseError {
  override readonly name = 'InvalidInput'
}
/** What was asked for by its id does not exist. */
export class NotFound extends TurnwiseError {
  override readonly name = 'NotFound'
}
/** A service that the work depends on failed; the same call again will not help. */
export class ExternalService extends TurnwiseError {
  override readonly name = 'ExternalService'
  constructor(service: string, problem: string, options?: ErrorOptions) {
    super(`${service}: ${problem}`, options)
  }
}
/** A service asked us to come back later. */
export class Throttled extends TurnwiseError {
  override readonly name = 'Throttled'
}
/** A call that can be repeated did not end in time. */
export class Timeout extends TurnwiseError {
  override readonly name = 'Timeout'
}
/** The caller may not do this. */
export class Denied extends TurnwiseError {
  override readonly name = 'Denied'
}
/** A call that changes things stopped midway: whether it took effect is unknown. */
export class Interrupted extends TurnwiseError {
  override readonly name = 'Interrupted'
}
/** The conversation no longer fits the model. */
export class ContextOverflow extends TurnwiseError {
  override readonly name = 'ContextOverflow'
}
/** Our fault, or that of a tool's code. */
export class Internal extends TurnwiseError {
  override readonly name = 'Internal'
}

/** A definition that cannot work, found when it is written, registered or planned; never seen by a model. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
}

/** What an error says to its caller. An error that is not of the family is `Internal`, with its message and without its stack. */
export function toFailure(error: unknown): Failure {
  if (error instanceof TurnwiseError) return { name: error.name, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  return { name: 'Internal', message: message === '' ? 'failed without a message' : message }
}

/** A recorded failure as an error again, under the name that Step Functions matches. */
export const failureError = ({ name, message }: Failure): Error => Object.assign(new Error(message), { name })
