import { alone, always, type Case, pass, silent, task, throwing, whileIn } from './case.ts'

const retried = (Retry: readonly unknown[], fields: Record<string, unknown> = {}) =>
  alone('charge', task('charge', { Retry, ...fields }))
const causeOf = (errorType: string) => JSON.stringify({ errorType, errorMessage: 'no' })

export const retry: readonly Case[] = [
  {
    name: 'each rule counts its own retries and has its own interval',
    machine: retried([
      { ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 1 },
      { ErrorEquals: ['Down'], IntervalSeconds: 2, MaxAttempts: 2 },
    ]),
    // 1 s for Busy, 2 and 4 s for Down, and Busy has none left.
    functions: { charge: [throwing('Busy'), throwing('Down'), throwing('Down'), throwing('Busy')] },
    status: 'FAILED',
    error: 'Busy',
    cause: causeOf('Busy'),
    seconds: 7,
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 TaskScheduled<5 TaskStarted<6 TaskFailed<7
      TaskScheduled<8 TaskStarted<9 TaskFailed<10 TaskScheduled<11 TaskStarted<12 TaskFailed<13 ExecutionFailed<14`,
  },
  {
    name: 'the interval grows by BackoffRate up to MaxDelaySeconds',
    machine: retried([
      { ErrorEquals: ['Busy'], IntervalSeconds: 2, BackoffRate: 3, MaxDelaySeconds: 5, MaxAttempts: 3 },
    ]),
    functions: { charge: [throwing('Busy'), throwing('Busy'), throwing('Busy'), { result: 'paid' }] },
    output: 'paid',
    // 2, then 6 and 18 cut to 5.
    seconds: 12,
  },
  {
    name: 'without numbers: three retries after 1, 2 and 4 seconds',
    machine: retried([{ ErrorEquals: ['States.ALL'] }]),
    functions: { charge: always(throwing('Busy')) },
    status: 'FAILED',
    error: 'Busy',
    cause: causeOf('Busy'),
    seconds: 7,
  },
  {
    name: 'MaxAttempts of 0 retries nothing, and keeps the error from the rules behind',
    machine: retried([{ ErrorEquals: ['Declined'], MaxAttempts: 0 }, { ErrorEquals: ['States.ALL'] }]),
    functions: { charge: [throwing('Declined'), { result: 'paid' }] },
    status: 'FAILED',
    error: 'Declined',
    cause: causeOf('Declined'),
    seconds: 0,
    events:
      'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 ExecutionFailed<5',
  },
  {
    name: 'States.ALL in the last rule takes what the others do not name',
    machine: retried([
      { ErrorEquals: ['Busy', 'Down'], MaxAttempts: 1 },
      { ErrorEquals: ['States.ALL'], IntervalSeconds: 3, MaxAttempts: 1 },
    ]),
    functions: { charge: [throwing('Down'), throwing('Odd'), { result: 'paid' }] },
    output: 'paid',
    seconds: 4,
  },
  {
    name: 'States.TaskFailed takes every error of a task',
    machine: retried([{ ErrorEquals: ['States.TaskFailed'], MaxAttempts: 2 }]),
    functions: {
      charge: [throwing('Busy'), { status: 500, exception: 'ServiceException' }, { result: 'paid' }],
    },
    output: 'paid',
    seconds: 3,
  },
  {
    name: 'States.TaskFailed does not take States.Timeout',
    machine: retried([{ ErrorEquals: ['States.TaskFailed'], MaxAttempts: 2 }], { TimeoutSeconds: 2 }),
    functions: { charge: silent },
    status: 'FAILED',
    error: 'States.Timeout',
    seconds: 2,
  },
  {
    name: 'States.Timeout is retried by name, and the fields are evaluated anew for each attempt',
    machine: retried([{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1 }], {
      TimeoutSeconds: '{% $states.context.State.RetryCount = 0 ? 2 : 86400 %}',
    }),
    functions: {
      charge: (() => {
        let calls = 0
        return () => {
          calls += 1
          return calls === 1 ? silent() : { result: 'paid late' }
        }
      })(),
    },
    output: 'paid late',
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskTimedOut<4
      TaskScheduled<5 TaskStarted<6 TaskSucceeded<7 TaskStateExited<8 ExecutionSucceeded<9`,
  },
  {
    name: 'RetryCount in the context counts over all rules, and is told to the function',
    machine: retried([{ ErrorEquals: ['Busy'] }, { ErrorEquals: ['Down'] }], {
      Arguments: { FunctionName: 'charge', Payload: '{% $states.context.State.RetryCount %}' },
      Output: '{% [$states.result.Payload, $states.context.State.RetryCount] %}',
    }),
    functions: {
      charge: ({ payload }) => {
        if (payload === 0) return throwing('Busy')
        return payload === 1 ? throwing('Down') : { result: payload }
      },
    },
    output: [2, 2],
  },
  {
    name: 'when the retries are used up, Catch has the last error',
    machine: {
      StartAt: 'charge',
      States: {
        charge: task('charge', {
          Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 1 }],
          Catch: [{ ErrorEquals: ['Busy'], Next: 'refund' }],
        }),
        refund: pass('{% $states.input.Cause %}'),
      },
    },
    functions: { charge: [throwing('Busy', 'first'), throwing('Busy', 'second')] },
    output: '{"errorType":"Busy","errorMessage":"second"}',
    seconds: 1,
    events: `ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 TaskScheduled<5 TaskStarted<6 TaskFailed<7
      TaskStateExited<8 PassStateEntered<9 PassStateExited<10 ExecutionSucceeded<11`,
  },
  {
    name: 'a failing expression is retried too, and fails again',
    machine: retried([{ ErrorEquals: ['States.QueryEvaluationError'], MaxAttempts: 1 }], {
      Output: '{% $states.result.Payload.receipt %}',
    }),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('charge', 2)}The JSONata expression '$states.result.Payload.receipt' specified for the field 'Output' returned nothing (undefined).`,
    seconds: 1,
  },
]
