import { alone, type Case, goTo, pass, whileIn } from './case.ts'

const rest = (fields: Record<string, unknown>) => alone('rest', { Type: 'Wait', End: true, ...fields })
const AT_ONCE = 'ExecutionStarted<0 WaitStateEntered<0 WaitStateExited<2 ExecutionSucceeded<3'
const FAILED = 'ExecutionStarted<0 WaitStateEntered<0 EvaluationFailed<2 ExecutionFailed<3'

export const wait: readonly Case[] = [
  {
    name: 'Seconds as an expression, with Output and Assign when the time is over',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { minutes: 0.1 }, ...goTo('rest') }),
        rest: {
          Type: 'Wait',
          Seconds: '{% $minutes * 60 %}',
          Assign: { slept: '{% $states.input.name %}' },
          Output: { rested: true },
          Next: 'tell',
        },
        tell: pass('{% $merge([$states.input, {"name": $slept}]) %}'),
      },
    },
    input: { name: 'Ada' },
    output: { rested: true, name: 'Ada' },
    seconds: 6,
    events:
      'ExecutionStarted<0 PassStateEntered<0 PassStateExited<2 WaitStateEntered<3 WaitStateExited<4 PassStateEntered<5 PassStateExited<6 ExecutionSucceeded<7',
  },
  {
    name: 'Seconds of 0 is no wait',
    machine: rest({ Seconds: 0 }),
    input: { id: 'o-2' },
    output: { id: 'o-2' },
    seconds: 0,
    events: AT_ONCE,
  },
  {
    name: 'Timestamp as an expression',
    machine: rest({ Timestamp: '{% $fromMillis($millis() + 4000) %}', Output: 'awake' }),
    output: 'awake',
    seconds: 4,
    events: AT_ONCE,
  },
  {
    name: 'Timestamp in the past is no wait, in a literal as in an expression, and at any offset',
    machine: {
      StartAt: 'literal',
      States: {
        literal: { Type: 'Wait', Timestamp: '2019-04-01T12:30:00Z', Next: 'expression' },
        expression: { Type: 'Wait', Timestamp: '{% $states.input.at %}', End: true },
      },
    },
    input: { at: '2019-04-01T12:30:00.25+02:00' },
    output: { at: '2019-04-01T12:30:00.25+02:00' },
    seconds: 0,
  },
  {
    name: 'Timestamp that is no time fails with the text that was read',
    machine: rest({ Timestamp: '{% $states.input.at %}' }),
    input: { at: 'tomorrow' },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('rest', 2)}The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: tomorrow`,
    events: FAILED,
  },
  {
    name: 'Timestamp without an offset is no time',
    machine: rest({ Timestamp: '{% "2019-04-01T12:30:00" %}' }),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('rest', 2)}The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: 2019-04-01T12:30:00`,
    events: FAILED,
  },
  {
    name: 'Seconds that are a text fail',
    machine: rest({ Seconds: '{% "5" %}' }),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /specified for the field 'Seconds' returned an unexpected result type\. .*but was 'string' for value: "5"$/,
  },
]
