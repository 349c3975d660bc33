/** The part of Amazon States Language (JSONata) that doers compile to. Strings `{% … %}` are JSONata. */

/** JSON in which strings may be JSONata. */
export type Template =
  | string
  | number
  | boolean
  | null
  | readonly Template[]
  | { readonly [key: string]: Template }

export interface Machine extends States {
  readonly Comment: string
  readonly QueryLanguage: 'JSONata'
}

export interface States {
  readonly StartAt: string
  readonly States: { readonly [name: string]: State }
}

export type State = PassState | TaskState | MapState | ParallelState | ChoiceState | WaitState | FailState

interface StateOutput {
  readonly Assign?: { readonly [variable: string]: Template }
  readonly Output?: Template
}
export type Transition = { readonly Next: string } | { readonly End: true }

export type PassState = { readonly Type: 'Pass'; readonly Comment?: string } & StateOutput & Transition

export type TaskState = {
  readonly Type: 'Task'
  readonly Comment?: string
  readonly Resource: 'arn:aws:states:::lambda:invoke' | 'arn:aws:states:::lambda:invoke.waitForTaskToken'
  readonly Arguments: {
    readonly FunctionName: string
    readonly InvocationType?: 'Event'
    readonly Payload: Template
  }
  readonly TimeoutSeconds?: number
  readonly Retry: readonly Retrier[]
  readonly Catch?: readonly Catcher[]
} & StateOutput &
  Transition

export type MapState = {
  readonly Type: 'Map'
  readonly Comment?: string
  readonly Items: Template
  readonly ItemSelector: Template
  readonly MaxConcurrency: number
  readonly ItemProcessor: States & {
    /** Distributed: each iteration is an execution of its own, which sees no variables of this one. */
    readonly ProcessorConfig:
      | { readonly Mode: 'INLINE' }
      | { readonly Mode: 'DISTRIBUTED'; readonly ExecutionType: 'STANDARD' }
  }
  readonly Catch: readonly Catcher[]
} & StateOutput &
  Transition

export type ParallelState = {
  readonly Type: 'Parallel'
  readonly Comment?: string
  readonly Branches: readonly States[]
  readonly Catch: readonly Catcher[]
} & StateOutput &
  Transition

/** Its own Assign and Output are for its Default. */
export interface ChoiceState extends StateOutput {
  readonly Type: 'Choice'
  readonly Comment?: string
  readonly Choices: readonly ({ readonly Condition: string; readonly Next: string } & StateOutput)[]
  readonly Default: string
}

export type WaitState = {
  readonly Type: 'Wait'
  readonly Seconds?: Template
  /** ISO 8601. */
  readonly Timestamp?: Template
} & StateOutput &
  Transition

export interface FailState {
  readonly Type: 'Fail'
  readonly Error: string
  readonly Cause: string
}

export interface Retrier {
  readonly ErrorEquals: readonly string[]
  readonly IntervalSeconds?: number
  readonly MaxAttempts: number
  readonly BackoffRate?: number
  readonly MaxDelaySeconds?: number
  /** `FULL`: anything up to the interval, so that many who wait do not come back together. */
  readonly JitterStrategy?: 'FULL'
}

export interface Catcher {
  readonly ErrorEquals: readonly string[]
  readonly Output: Template
  readonly Assign?: { readonly [variable: string]: Template }
  readonly Next: string
}
