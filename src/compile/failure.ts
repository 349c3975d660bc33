import { FAILURE_NAMES, type FailureName } from '../core/errors.ts'
import type { Catcher, FailState, State } from './asl.ts'
import { embed } from './jsonata.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from './retry.ts'

export const RESUME = functionNameOf('resume')
/** The state that every failure of the machine goes to. */
export const FAILURE_STATE = '(describe failure)'
/** The same for one that is described. */
export const RECORD_FAILURE = '(record failure)'

/**
 * A function by its id in the plan, as machines write it: `renderMachine` puts the deployment's prefix in.
 */
export function functionNameOf(id: string): string {
  return `\${prefix}-${id}`
}

/**
 * What a state does when it fails. An error that is not of the family comes from around the code (a crash, a
 * kill): `otherwise` is what it means, `Interrupted` for a call that changes things, since nobody knows
 * whether it did.
 */
export function catchAll(
  step: string,
  otherwise: FailureName,
  next: string,
  errors: readonly string[] = ['States.ALL'],
): readonly Catcher[] {
  return [
    { ErrorEquals: errors, Output: { step, otherwise, failure: '{% $states.errorOutput %}' }, Next: next },
  ]
}

// Reads the output of `catchAll`. The cause of a Lambda error is JSON,
// `{"errorType":"NotFound","errorMessage":"No order \"A-1\""}`; any other is text.
const CAUSE_PATTERN = String.raw`/^\s*\{.*?"errorMessage"\s*:\s*"((?:[^\\"]|\\.)*)"/`
const NAME = embed(
  `($error := $states.input.failure.Error; ` +
    `$error in ${JSON.stringify(FAILURE_NAMES)} ? $error ` +
    `: $error = "Lambda.TooManyRequestsException" ? "Throttled" ` +
    // The function went with a later deployment: nothing was begun.
    `: $error = "Lambda.ResourceNotFoundException" ? "NotFound" ` +
    `: $states.input.otherwise = "Internal" and $error in ["States.Timeout", "Sandbox.Timedout"] ? "Timeout" ` +
    `: $states.input.otherwise)`,
)
const MESSAGE_CODE =
  `($cause := $states.input.failure.Cause; $found := $match($cause, ${CAUSE_PATTERN}, 1); ` +
  `$text := $exists($found) ? $parse('"' & $found.groups[0] & '"') : $cause; ` +
  // Step Functions says no more of it than the name.
  `$else := $states.input.failure.Error = "States.Timeout" ? "it did not end in time" : $states.input.failure.Error; ` +
  `'step "' & $states.input.step & '": ' & ($text ? $text : $else))`
const MESSAGE = embed(MESSAGE_CODE)

/** What was caught, as `{ name, message }`. */
export const DESCRIBED = { name: NAME, message: MESSAGE } as const

/** Failures that a map tolerates stand together in one state, which takes 256 KiB: each has so many characters. */
const BRIEF = 200
const brief = (code: string): string => embed(`$substring(${code}, 0, ${BRIEF})`)
/** What was caught, for a list of such. */
export const DESCRIBED_BRIEFLY = { name: NAME, message: brief(MESSAGE_CODE) } as const
/** The same where the input is `{ name, message }` already. */
export const BRIEFLY = { name: '{% $states.input.name %}', message: brief('$states.input.message') } as const

/** Fails with what is described already. */
export const describedFail: FailState = {
  Type: 'Fail',
  Error: '{% $states.input.name %}',
  Cause: '{% $states.input.message %}',
}

/** Inside a map: ends the item's iteration, and with it the map, with a failure that names the step. */
export const ITEM_FAILED: FailState = { Type: 'Fail', Error: NAME, Cause: MESSAGE }

/** At the top: says what failed, tells `resume`, and ends the execution as failed. */
export const FAILURE_STATES: Readonly<Record<string, State>> = {
  [FAILURE_STATE]: { Type: 'Pass', Output: DESCRIBED, Next: RECORD_FAILURE },
  [RECORD_FAILURE]: {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: {
        kind: 'end',
        runId: '{% $runId %}',
        outcome: { kind: 'failed', error: '{% $states.input %}' },
      },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    Output: '{% $states.input %}',
    Next: '(failed)',
  },
  '(failed)': describedFail,
}
