import { type Invocation, type Reply, SILENT } from '../fake-lambda.ts'

/** One execution and how it must go; what AWS does, in our own words. */
export interface Case {
  /** `'Catch: assigns from $states.errorOutput'` */
  readonly name: string
  readonly type?: 'STANDARD' | 'EXPRESS'
  /** The definition; `QueryLanguage: 'JSONata'` unless it says otherwise. */
  readonly machine: Record<string, unknown>
  /** Default `{}`. */
  readonly input?: unknown
  /** What each function answers, call after call; a function answers every call. Default: each gives back its payload. */
  readonly functions?: Readonly<Record<string, readonly Reply[] | ((invocation: Invocation) => Answer)>>
  /** Default `SUCCEEDED`. */
  readonly status?: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT'
  readonly output?: unknown
  readonly error?: string
  /** A text for the whole, or a pattern. */
  readonly cause?: string | RegExp
  /**
   * The history, an event a word, each with the id of its previous one: `'ExecutionStarted<0 PassStateEntered<0 PassStateExited<2'`. Ids
   * count from 1 in the order of the words. Left out where the order is not the point.
   */
  readonly events?: string
  /** Seconds that pass between start and end, where waits and retries are the point. */
  readonly seconds?: number
}

/** What a function answers, now or later. */
export type Answer = Reply | Promise<Reply>

/** A function that always does the same. */
export const always = (reply: Reply) => () => reply

export const throwing = (errorType: string, errorMessage = 'no'): Reply => ({
  functionError: { errorType, errorMessage },
})

/** A function that does not answer. */
export const silent = () => SILENT

/** A machine of one state. */
export const alone = (name: string, state: Record<string, unknown>) => ({
  StartAt: name,
  States: { [name]: state },
})

/** A Pass with an Output; without one, its input is its output. */
export const pass = (Output?: unknown, fields: Record<string, unknown> = {}) => ({
  Type: 'Pass',
  Output,
  End: true,
  ...fields,
})

/** Makes a state that would end go on. */
export const goTo = (Next: string) => ({ End: undefined, Next })

/** How the causes begin that Step Functions words itself. */
export const whileIn = (name: string, enteredEventId: number) =>
  `An error occurred while executing the state '${name}' (entered at the event id #${enteredEventId}). `

/** A Task that invokes a function with its input; its output is what the function gives. */
export const task = (FunctionName: string, fields: Record<string, unknown> = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName, Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  End: true,
  ...fields,
})
