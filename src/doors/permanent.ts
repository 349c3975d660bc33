import { Denied, NotFound } from '../core/errors.ts'

const IS_ABSENT = ['ResourceNotFoundException', 'StateMachineDoesNotExist']

/** An AWS error that no repeat can mend, in our words; undefined for any other. `what` is what was asked: `The function turn-x`. */
export function permanent(error: unknown, what: string): Denied | NotFound | undefined {
  if (!(error instanceof Error)) return undefined
  if (IS_ABSENT.includes(error.name)) return new NotFound(`${what} is not deployed`, { cause: error })
  if (error.name === 'AccessDeniedException')
    return new Denied(`${what} may not be used from here`, { cause: error })
  return undefined
}
