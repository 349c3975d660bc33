import type { FailureName } from '../../../src/core/errors.ts'

/** A step, a map or a fail node failed. */
export class PlanFailed extends Error {
  readonly failure: FailureName
  constructor(failure: FailureName, message: string) {
    super(message)
    this.failure = failure
  }
}

/** Things that run at the same time failed under several names, and the first to do so is the one that counts. */
export class Undetermined extends Error {}
