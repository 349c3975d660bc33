import type { TaskState } from '../../../src/compile/asl.ts'
import { EVALUATION, matches } from '../../../src/compile/worst-case/catchers.ts'
import type { StateVisit } from '../../../src/compile/worst-case/walk.ts'

/** How one attempt of a task ends: well, not at all, in an expression that cannot be evaluated, or with an error of this name. */
export type Attempt = 'succeeds' | 'hangs' | 'cannot be evaluated' | { readonly error: string }

/** Every attempt of a task: as many failures as its Retry takes, and the one by which it is left. */
export function attemptsOf({ Retry, Catch = [] }: TaskState, { how }: StateVisit): readonly Attempt[] {
  const ofEvaluation = Retry.findIndex((rule) => matches(rule, EVALUATION))
  const retried = Retry.flatMap((rule, index) =>
    Array.from({ length: rule.MaxAttempts }, () =>
      index === ofEvaluation ? 'cannot be evaluated' : errorFor(rule.ErrorEquals),
    ),
  )
  switch (how.kind) {
    case 'next':
      return [...retried, 'succeeds']
    case 'interrupted':
      return [...retried, 'hangs']
    case 'caught':
    case 'failed': {
      const errors = how.kind === 'caught' ? (Catch[how.catcher]?.ErrorEquals ?? []) : []
      return [...retried, how.by === 'evaluation' ? 'cannot be evaluated' : errorFor(errors)]
    }
  }
}

/** An error that a rule takes. */
function errorFor([name = 'States.ALL']: readonly string[]): Attempt {
  return { error: name === 'States.ALL' || name === 'States.TaskFailed' ? 'Any.Error' : name }
}
