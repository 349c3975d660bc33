import type { State } from '../definition/machine.ts'
import { StateFailed } from '../errors.ts'
import { describeField, EvaluationError } from '../expressions/evaluate.ts'
import { expressionText } from '../expressions/expression-text.ts'
import { type ContextExtras, contextObject } from './context-object.ts'
import type { Thread } from './execution.ts'
import type { Transition } from './transition.ts'

/** What `$states` holds beside input and context. */
export interface FieldExtras extends ContextExtras {
  readonly result?: unknown
  readonly errorOutput?: unknown
}

/** The value of a state's field. Throws `StateFailed` with `States.QueryEvaluationError` and AWS's sentence. */
export async function evaluateField(
  { execution, services }: Transition,
  thread: Thread,
  state: State,
  template: unknown,
  location: string,
  extras: FieldExtras = {},
): Promise<unknown> {
  if (!state.usesJsonata || isPlain(template)) return template
  const { result, errorOutput } = extras
  try {
    return await services.evaluator.evaluate(template, location, {
      variables: thread.data.variables,
      states: {
        input: thread.data.input.value,
        context: contextObject(execution, thread, state, extras),
        ...(result === undefined ? {} : { result }),
        ...(errorOutput === undefined ? {} : { errorOutput }),
      },
    })
  } catch (error) {
    if (error instanceof EvaluationError) throw evaluationFailed(thread, error.message, error.location)
    throw error
  }
}

/** A whole number of at least `least`, from a number or an expression. */
export async function evaluateWholeNumber(
  transition: Transition,
  thread: Thread,
  state: State,
  template: number | string,
  location: string,
  least: number,
): Promise<number> {
  const value = await evaluateNumber(transition, thread, state, template, location)
  if (!Number.isInteger(value) || value < least)
    throw evaluationFailed(
      thread,
      `The ${location} field must be a whole number of at least ${least} but was: ${value}`,
      location,
    )
  return value
}

/** A number, from a number or an expression. */
export async function evaluateNumber(
  transition: Transition,
  thread: Thread,
  state: State,
  template: number | string,
  location: string,
): Promise<number> {
  const value = await evaluateField(transition, thread, state, template, location)
  if (typeof value !== 'number') throw unexpectedType(thread, template, location, 'number', value)
  return value
}

/** The failure for an expression whose value has the wrong type. */
export function unexpectedType(
  thread: Thread,
  template: unknown,
  location: string,
  expected: string,
  value: unknown,
): StateFailed {
  const text =
    typeof template === 'string' ? (expressionText(template) ?? template) : JSON.stringify(template)
  const problem = `returned an unexpected result type. Expected '${expected}', but was '${typeName(value)}' for value: ${JSON.stringify(value)}`
  return evaluationFailed(thread, `${describeField(text, location)} ${problem}`, location)
}

/** A `States.QueryEvaluationError` with AWS's preamble. */
export function evaluationFailed(thread: Thread, problem: string, location: string | undefined): StateFailed {
  return new StateFailed({
    error: 'States.QueryEvaluationError',
    cause: `An error occurred while executing the state '${thread.stateName}' (entered at the event id #${thread.enteredEventId}). ${problem}`,
    evaluation: { location },
  })
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isPlain(template: unknown): boolean {
  return typeof template === 'object' ? template === null : typeof template !== 'string'
}
