import { alone, always, type Case, goTo, pass, silent, task, throwing, whileIn } from './case.ts'

const CAUSE = '{"errorType":"Torn","errorMessage":"no"}'
const TORN = { Type: 'Fail', Error: 'Torn', Cause: '{% "item " & $string($states.input) %}' }
const each = (fields: Record<string, unknown>, inner: Record<string, unknown>) => ({
  Type: 'Map',
  ItemProcessor: alone('item', inner),
  End: true,
  ...fields,
})

export const mapFailures: readonly Case[] = [
  {
    name: 'the first iteration that fails fails the Map, and no further one starts',
    machine: alone('each', each({ Items: [7, 8], MaxConcurrency: 1 }, TORN)),
    status: 'FAILED',
    error: 'Torn',
    cause: 'item 7',
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 FailStateEntered<4 MapIterationFailed<5
      MapStateFailed<5 ExecutionFailed<7`,
  },
  {
    name: 'a Task that fails its iteration is aborted itself, behind the failure of the iteration',
    machine: alone('each', each({ Items: [1] }, task('wrap'))),
    functions: { wrap: always(throwing('Torn')) },
    status: 'FAILED',
    error: 'Torn',
    cause: CAUSE,
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 TaskStateEntered<4 TaskScheduled<5 TaskStarted<6
      TaskFailed<7 MapIterationFailed<8 TaskStateAborted<8 MapStateFailed<8 ExecutionFailed<11`,
  },
  {
    name: 'the iterations that still run are aborted, in the order of the items, with their Tasks',
    machine: alone('each', each({ Items: ['a', 'b', 'c'] }, task('wrap'))),
    functions: { wrap: ({ payload }) => (payload === 'c' ? throwing('Torn') : silent()) },
    status: 'FAILED',
    error: 'Torn',
    cause: CAUSE,
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 MapIterationStarted<3 MapIterationStarted<3
      TaskStateEntered<4 TaskScheduled<7 TaskStarted<8 TaskStateEntered<5 TaskScheduled<10 TaskStarted<11
      TaskStateEntered<6 TaskScheduled<13 TaskStarted<14 TaskFailed<15
      MapIterationAborted<16 TaskStateAborted<16 MapIterationAborted<16 TaskStateAborted<16 MapIterationFailed<16 TaskStateAborted<16
      MapStateFailed<16 ExecutionFailed<23`,
  },
  {
    name: 'a failing expression in an iteration fails the Map, and aborts no Pass',
    machine: alone('each', each({ Items: [1] }, pass('{% $states.input.grams %}'))),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('item', 5)}The JSONata expression '$states.input.grams' specified for the field 'Output' returned nothing (undefined).`,
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 PassStateEntered<4 EvaluationFailed<4
      MapIterationFailed<6 MapStateFailed<6 ExecutionFailed<8`,
  },
  {
    name: 'Catch of a Map assigns from the error; what the iterations assigned is gone',
    machine: {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: [7],
          ItemProcessor: {
            StartAt: 'look',
            States: { look: pass(undefined, { Assign: { seen: true }, ...goTo('item') }), item: TORN },
          },
          Assign: { why: 'no failure' },
          Catch: [
            {
              ErrorEquals: ['Torn'],
              Assign: { why: '{% $states.errorOutput.Cause %}', of: '{% $states.input.id %}' },
              Output: { failed: '{% $states.errorOutput.Error %}' },
              Next: 'tell',
            },
          ],
          End: true,
        },
        tell: pass(
          '{% $merge([$states.input, {"why": $why, "of": $of, "seen": $exists($seen), "fine": false}]) %}',
        ),
      },
    },
    input: { id: 'o-7' },
    output: { failed: 'Torn', why: 'item 7', of: 'o-7', seen: false, fine: false },
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 PassStateEntered<4 PassStateExited<5 FailStateEntered<6
      MapIterationFailed<7 MapStateFailed<7 MapStateExited<9 PassStateEntered<10 PassStateExited<11 ExecutionSucceeded<12`,
  },
  {
    name: 'Catch in the iteration keeps the Map going',
    machine: alone('each', {
      Type: 'Map',
      Items: ['whole', 'torn'],
      ItemProcessor: {
        StartAt: 'wrap',
        States: {
          wrap: task('wrap', { Catch: [{ ErrorEquals: ['Torn'], Output: 'rewrapped', Next: 'kept' }] }),
          kept: pass(),
        },
      },
      End: true,
    }),
    functions: { wrap: ({ payload }) => (payload === 'torn' ? throwing('Torn') : { result: payload }) },
    output: ['whole', 'rewrapped'],
  },
  {
    name: 'Retry of a Map runs all its iterations again, also those that had succeeded',
    machine: alone(
      'each',
      each(
        { Items: ['a', 'b'], MaxConcurrency: 1, Retry: [{ ErrorEquals: ['Torn'], IntervalSeconds: 2 }] },
        task('wrap'),
      ),
    ),
    functions: { wrap: [{ result: 1 }, throwing('Torn'), { result: 3 }, { result: 4 }] },
    output: [3, 4],
    seconds: 2,
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 TaskStateEntered<4 TaskScheduled<5 TaskStarted<6 TaskSucceeded<7 TaskStateExited<8 MapIterationSucceeded<9
      MapIterationStarted<9 TaskStateEntered<11 TaskScheduled<12 TaskStarted<13 TaskFailed<14 MapIterationFailed<15 TaskStateAborted<15
      MapStateStarted<15
      MapIterationStarted<18 TaskStateEntered<19 TaskScheduled<20 TaskStarted<21 TaskSucceeded<22 TaskStateExited<23 MapIterationSucceeded<24
      MapIterationStarted<24 TaskStateEntered<26 TaskScheduled<27 TaskStarted<28 TaskSucceeded<29 TaskStateExited<30 MapIterationSucceeded<31
      MapStateSucceeded<32 MapStateExited<32 ExecutionSucceeded<34`,
  },
  {
    name: 'Retry of a Map evaluates Items anew, and its count shows in the context',
    machine: alone(
      'each',
      each(
        {
          Items: '{% $states.context.State.RetryCount = 0 ? ["torn"] : ["whole", "whole"] %}',
          Retry: [{ ErrorEquals: ['Torn'], IntervalSeconds: 1 }],
          Output: '{% $append($states.result, $states.context.State.RetryCount) %}',
        },
        task('wrap'),
      ),
    ),
    functions: { wrap: ({ payload }) => (payload === 'torn' ? throwing('Torn') : { result: payload }) },
    output: ['whole', 'whole', 1],
  },
]
