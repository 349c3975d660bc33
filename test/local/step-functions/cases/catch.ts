import { always, type Case, goTo, pass, silent, task, throwing } from './case.ts'

const CAUSE = '{"errorType":"Declined","errorMessage":"no"}'
const declined = { charge: always(throwing('Declined')) }
const caught = (fields: Record<string, unknown>, handler: unknown = pass()) => ({
  StartAt: 'charge',
  States: { charge: task('charge', fields), handler },
})

export const catching: readonly Case[] = [
  {
    name: 'without Output the error output goes on',
    machine: caught({ Catch: [{ ErrorEquals: ['Declined'], Next: 'handler' }] }),
    input: { order: 'o-5' },
    functions: declined,
    output: { Error: 'Declined', Cause: CAUSE },
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 TaskStateExited<5
      PassStateEntered<6 PassStateExited<7 ExecutionSucceeded<8`,
  },
  {
    name: 'the first rule that names the error takes it',
    machine: {
      StartAt: 'charge',
      States: {
        charge: task('charge', {
          Catch: [
            { ErrorEquals: ['Busy'], Next: 'other' },
            { ErrorEquals: ['Lost', 'Declined'], Next: 'handler' },
            { ErrorEquals: ['States.ALL'], Next: 'other' },
          ],
        }),
        handler: pass('by name'),
        other: pass('other'),
      },
    },
    functions: declined,
    output: 'by name',
  },
  {
    name: "Output and Assign of the rule see $states.errorOutput and the input; the Task's own are not evaluated",
    machine: caught(
      {
        Output: '{% $states.result.Payload.receipt %}',
        Assign: { receipt: 'r-1' },
        Catch: [
          {
            ErrorEquals: ['States.TaskFailed'],
            Assign: { why: '{% $parse($states.errorOutput.Cause).errorMessage %}' },
            Output: { order: '{% $states.input.order %}', error: '{% $states.errorOutput.Error %}' },
            Next: 'handler',
          },
        ],
      },
      pass({ in: '{% $states.input %}', why: '{% $why %}', receipt: '{% $exists($receipt) %}' }),
    ),
    input: { order: 'o-6' },
    functions: declined,
    output: { in: { order: 'o-6', error: 'Declined' }, why: 'no', receipt: false },
  },
  {
    name: 'an error that no rule names fails the execution',
    machine: caught({ Catch: [{ ErrorEquals: ['Busy'], Next: 'handler' }] }),
    functions: declined,
    status: 'FAILED',
    error: 'Declined',
    cause: CAUSE,
  },
  {
    name: 'States.Timeout is caught with an empty cause',
    machine: caught({ TimeoutSeconds: 2, Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'handler' }] }),
    functions: { charge: silent },
    output: { Error: 'States.Timeout', Cause: '' },
    seconds: 2,
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskTimedOut<4 TaskStateExited<5
      PassStateEntered<6 PassStateExited<7 ExecutionSucceeded<8`,
  },
  {
    name: 'States.HeartbeatTimeout is caught by its name, and by that of States.Timeout',
    machine: {
      StartAt: 'sign',
      States: {
        sign: {
          ...task('sign'),
          Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
          Arguments: { FunctionName: 'sign', Payload: '{% $states.context.Task.Token %}' },
          HeartbeatSeconds: 2,
          Catch: [{ ErrorEquals: ['States.HeartbeatTimeout'], Output: 'lost once', Next: 'again' }],
        },
        again: {
          ...task('sign'),
          Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
          Arguments: { FunctionName: 'sign', Payload: '{% $states.context.Task.Token %}' },
          HeartbeatSeconds: 3,
          Catch: [
            {
              ErrorEquals: ['States.Timeout'],
              Output: '{% [$states.input, $states.errorOutput.Error] %}',
              Next: 'handler',
            },
          ],
        },
        handler: pass(),
      },
    },
    output: ['lost once', 'States.Timeout'],
    seconds: 5,
  },
  {
    name: 'a failing expression is caught as States.QueryEvaluationError',
    machine: caught(
      {
        Arguments: { FunctionName: 'charge', Payload: '{% $states.input.card %}' },
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'handler' }],
      },
      pass('{% $contains($states.input.Cause, "Arguments/Payload") %}'),
    ),
    output: true,
  },
  {
    name: 'a failing Output of the rule fails the state, and no rule is asked again',
    machine: caught({
      Catch: [
        { ErrorEquals: ['Declined'], Output: '{% $states.errorOutput.Code %}', Next: 'handler' },
        { ErrorEquals: ['States.ALL'], Next: 'handler' },
      ],
    }),
    functions: declined,
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /The JSONata expression '\$states\.errorOutput\.Code' specified for the field 'Catch\[0\]\/Output' returned nothing \(undefined\)\.$/,
  },
  {
    name: 'States.DataLimitExceeded is caught by its name; the cause names lambda',
    machine: caught({ Catch: [{ ErrorEquals: ['States.DataLimitExceeded'], Next: 'handler' }] }),
    functions: { charge: always({ result: 'x'.repeat(262_145) }) },
    output: {
      Error: 'States.DataLimitExceeded',
      Cause:
        "The state/task 'lambda' returned a result with a size exceeding the maximum number of bytes service limit.",
    },
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 TaskStateExited<5
      PassStateEntered<6 PassStateExited<7 ExecutionSucceeded<8`,
  },
  {
    name: "States.ALL takes a task's States.DataLimitExceeded, whatever the guide says",
    machine: caught(
      { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'handler' }] },
      pass('{% $states.input.Error %}'),
    ),
    functions: { charge: always({ result: 'x'.repeat(262_145) }) },
    output: 'States.DataLimitExceeded',
  },
  {
    name: 'a caught error may lead back to the state that failed',
    machine: {
      StartAt: 'charge',
      States: {
        charge: task('charge', { Catch: [{ ErrorEquals: ['Declined'], Next: 'ask' }] }),
        ask: pass({ card: 'second' }, goTo('charge')),
      },
    },
    functions: { charge: [throwing('Declined'), { result: 'paid' }] },
    output: 'paid',
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 TaskStateExited<5
      PassStateEntered<6 PassStateExited<7 TaskStateEntered<8 TaskScheduled<9 TaskStarted<10 TaskSucceeded<11
      TaskStateExited<12 ExecutionSucceeded<13`,
  },
]
