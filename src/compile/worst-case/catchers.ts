import type { Catcher, Retrier } from '../asl.ts'

/** Under this name a state fails in which an expression cannot be evaluated. */
export const EVALUATION = 'States.QueryEvaluationError'

interface Catching {
  readonly Catch?: readonly Catcher[]
}

/** `States.ALL` is every error but States.Runtime, `States.TaskFailed` each but States.Timeout. */
export function matches({ ErrorEquals }: Pick<Retrier, 'ErrorEquals'>, error: string): boolean {
  return (
    ErrorEquals.includes(error) ||
    ErrorEquals.includes('States.ALL') ||
    (ErrorEquals.includes('States.TaskFailed') && error !== 'States.Timeout')
  )
}

/** Whether a state's Catch takes an error; `States.ALL`: every one. */
export function isCaught({ Catch = [] }: Catching, error: string): boolean {
  return Catch.some((rule) => matches(rule, error))
}

/** Where each catcher leads, and whether a failing expression does, which is the longer way. */
export function errorCatchers({ Catch = [] }: Catching) {
  const ofEvaluation = Catch.findIndex((rule) => matches(rule, EVALUATION))
  return Catch.map(({ Next }, catcher) => ({
    catcher,
    to: Next,
    by: catcher === ofEvaluation ? ('evaluation' as const) : ('error' as const),
  }))
}
