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

/** Failures of a map's items stand together in one state, which takes 256 KiB. */
const ALL_BRIEF_BYTES = 250_000
const LONGEST_BRIEF = 200
/** Of so many failures that even these would not fit, each says at least this. */
const SHORTEST_BRIEF = 40
/** Around a message: `{"ok":false,"error":{"name":"ContextOverflow","message":""}},`. */
const AROUND_BRIEF_BYTES = 64
/** As UTF-8, but for the rarest. */
const CHARACTER_BYTES = 3

/** Code: how many characters each failure's message may have, where there are at most so many, of which `count` is code. */
export function briefLength(most: number | undefined, count: string): string {
  const room = (LONGEST_BRIEF * CHARACTER_BYTES + AROUND_BRIEF_BYTES) * (most ?? Number.POSITIVE_INFINITY)
  if (room <= ALL_BRIEF_BYTES) return String(LONGEST_BRIEF)
  const each = `$floor((${ALL_BRIEF_BYTES} / ${count} - ${AROUND_BRIEF_BYTES}) / ${CHARACTER_BYTES})`
  return `$max([${SHORTEST_BRIEF}, $min([${LONGEST_BRIEF}, ${each}])])`
}

/** What was caught, for a list of such; `length` is code. */
export const describedBriefly = (length: string) => ({
  name: NAME,
  message: embed(`$substring(${MESSAGE_CODE}, 0, ${length})`),
})
/** The same where the input is `{ name, message }` already. */
export const briefly = (length: string) => ({
  name: '{% $states.input.name %}',
  message: embed(`$substring($states.input.message, 0, ${length})`),
})

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
