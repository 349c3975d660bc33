/** The errors of the Step Functions API that the stand-in answers with; the SDK decodes each into the exception class of that name. */
export type ApiErrorName =
  | 'ConflictException'
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'ExecutionNotRedrivable'
  | 'InvalidArn'
  | 'InvalidDefinition'
  | 'InvalidEncryptionConfiguration'
  | 'InvalidExecutionInput'
  | 'InvalidLoggingConfiguration'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'MissingRequiredParameter'
  | 'ResourceNotFound'
  | 'SerializationException'
  | 'ServiceQuotaExceededException'
  | 'StateMachineAlreadyExists'
  | 'StateMachineDeleting'
  | 'StateMachineDoesNotExist'
  | 'StateMachineTypeNotSupported'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'TooManyTags'
  | 'UnknownOperationException'
  | 'ValidationException'

/** A request that is refused: answered as `{"__type": name, "message": message}` with status 400. */
export class ApiError extends Error {
  override readonly name: ApiErrorName
  constructor(name: ApiErrorName, message: string) {
    super(message)
    this.name = name
  }
}

/** What stands in an execution's `error` and `cause`; AWS leaves out what is not known. */
export interface Failure {
  readonly error: string | undefined
  readonly cause: string | undefined
  /** Further names under which Retry and Catch know it: a lost heartbeat is `States.Timeout`, also `States.HeartbeatTimeout`. */
  readonly alias?: string
  /** Set when an expression was at fault: the history then says where. */
  readonly evaluation?: { readonly location: string | undefined }
}

/** Thrown by the code of a state, and caught where its Retry and Catch are looked at. */
export class StateFailed extends Error {
  override readonly name = 'StateFailed'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.cause ?? failure.error ?? 'failed')
    this.failure = failure
  }
}
