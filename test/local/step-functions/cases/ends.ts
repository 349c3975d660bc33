import { alone, type Case, goTo, pass, whileIn } from './case.ts'

const fail = (fields: Record<string, unknown>) => alone('refuse', { Type: 'Fail', ...fields })
const FAILED = 'ExecutionStarted<0 FailStateEntered<0 ExecutionFailed<2'

export const ends: readonly Case[] = [
  {
    name: 'Succeed without Output gives its input',
    machine: alone('done', { Type: 'Succeed' }),
    input: ['a', null],
    output: ['a', null],
    events: 'ExecutionStarted<0 SucceedStateEntered<0 SucceedStateExited<2 ExecutionSucceeded<3',
  },
  {
    name: 'Succeed gives its Output, and sees variables',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { parcels: 3 }, ...goTo('done') }),
        done: { Type: 'Succeed', Output: { text: '{% $string($parcels) & " for " & $states.input.to %}' } },
      },
    },
    input: { to: 'Oslo' },
    output: { text: '3 for Oslo' },
  },
  {
    name: 'Succeed ends a branch, not the execution',
    machine: {
      StartAt: 'both',
      States: {
        both: {
          Type: 'Parallel',
          Branches: [alone('early', { Type: 'Succeed', Output: 1 }), alone('late', pass(2))],
          Next: 'tell',
        },
        tell: pass('{% $sum($states.input) %}'),
      },
    },
    output: 3,
  },
  {
    name: 'Fail without fields has neither error nor cause',
    machine: fail({}),
    status: 'FAILED',
    events: FAILED,
  },
  {
    name: 'Fail with an Error alone, and with a Cause alone',
    machine: {
      StartAt: 'both',
      States: {
        both: {
          Type: 'Parallel',
          Branches: [fail({ Cause: 'out of stock' })],
          Catch: [
            {
              ErrorEquals: ['States.ALL'],
              Assign: { first: '{% $states.errorOutput.Cause %}' },
              Next: 'last',
            },
          ],
          End: true,
        },
        last: { Type: 'Fail', Error: '{% "After: " & $first %}' },
      },
    },
    status: 'FAILED',
    error: 'After: out of stock',
  },
  {
    name: 'Fail with expressions; a text that only looks like one stays',
    machine: fail({ Error: '{% "Order." & $states.input.why %}', Cause: 'see {% $states.input.why %}' }),
    input: { why: 'Lost' },
    status: 'FAILED',
    error: 'Order.Lost',
    cause: 'see {% $states.input.why %}',
    events: FAILED,
  },
  {
    name: 'Fail whose Cause is no text fails otherwise',
    machine: fail({ Error: 'Order.Lost', Cause: '{% $states.input %}' }),
    input: { why: 'Lost' },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('refuse', 2)}The JSONata expression '$states.input' specified for the field 'Cause' returned an unexpected result type. Expected 'string', but was 'object' for value: {"why":"Lost"}`,
  },
  {
    name: 'a Pass whose output is above 256 KiB fails the execution',
    machine: alone('pack', pass("{% $pad('', 262145, 'x') %}")),
    status: 'FAILED',
    error: 'States.DataLimitExceeded',
    cause:
      "The state/task 'pack' returned a result with a size exceeding the maximum number of bytes service limit.",
    events: 'ExecutionStarted<0 PassStateEntered<0 ExecutionFailed<2',
  },
]
