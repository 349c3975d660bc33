import { alone, always, type Case, goTo, pass, task, throwing, whileIn } from './case.ts'

const DAY = 86_400
const CAUSE = '{"errorType":"Torn","errorMessage":"no"}'
const both = (Branches: readonly unknown[], fields: Record<string, unknown> = {}) => ({
  Type: 'Parallel',
  Branches,
  End: true,
  ...fields,
})

export const parallel: readonly Case[] = [
  {
    name: 'each branch gets the input, and the results stand in the order of the branches',
    machine: alone(
      'both',
      both([
        alone('slow', { Type: 'Wait', Seconds: 3, Output: { slow: '{% $states.input.id %}' }, End: true }),
        alone('fast', pass({ fast: '{% $states.input.id %}' })),
      ]),
    ),
    input: { id: 'o-8' },
    output: [{ slow: 'o-8' }, { fast: 'o-8' }],
    seconds: 3,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 WaitStateEntered<3 PassStateEntered<3 PassStateExited<5 WaitStateExited<4
      ParallelStateSucceeded<7 ParallelStateExited<7 ExecutionSucceeded<9`,
  },
  {
    name: 'Arguments are what the branches get; Output and Assign see the input and the result',
    machine: {
      StartAt: 'both',
      States: {
        both: both([alone('one', pass()), alone('two', pass('{% $states.input.n * 2 %}'))], {
          Arguments: { n: '{% $states.input.n + 1 %}' },
          Output: '{% [$states.input.n, $states.result[0].n, $states.result[1]] %}',
          Assign: { branches: '{% $count($states.result) %}' },
          ...goTo('tell'),
        }),
        tell: pass('{% $append($states.input, $branches) %}'),
      },
    },
    input: { n: 4 },
    output: [4, 5, 10, 2],
  },
  {
    name: 'a branch that fails ends the others, whose waits are aborted, and fails the Parallel',
    machine: alone(
      'both',
      both([
        alone('patient', { Type: 'Wait', Seconds: DAY, End: true }),
        {
          StartAt: 'brief',
          States: {
            brief: { Type: 'Wait', Seconds: 2, Next: 'torn' },
            torn: { Type: 'Fail', Error: 'Torn' },
          },
        },
      ]),
    ),
    status: 'FAILED',
    error: 'Torn',
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 WaitStateEntered<3 WaitStateEntered<3 WaitStateExited<5 FailStateEntered<6
      WaitStateAborted<7 ParallelStateFailed<7 ExecutionFailed<9`,
  },
  {
    name: 'a Task that fails its branch is aborted itself; a branch that had ended is not',
    machine: alone('both', both([alone('early', pass()), alone('wrap', task('wrap'))])),
    functions: { wrap: always(throwing('Torn')) },
    status: 'FAILED',
    error: 'Torn',
    cause: CAUSE,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 PassStateEntered<3 PassStateExited<4
      TaskStateEntered<3 TaskScheduled<6 TaskStarted<7 TaskFailed<8 TaskStateAborted<9 ParallelStateFailed<9 ExecutionFailed<11`,
  },
  {
    name: 'Retry runs all branches again, without a ParallelStateFailed between',
    machine: alone(
      'both',
      both([alone('wrap', task('wrap'))], { Retry: [{ ErrorEquals: ['Torn'], IntervalSeconds: 3 }] }),
    ),
    functions: { wrap: [throwing('Torn'), { result: 'whole' }] },
    output: ['whole'],
    seconds: 3,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2
      TaskStateEntered<3 TaskScheduled<4 TaskStarted<5 TaskFailed<6 TaskStateAborted<7
      ParallelStateStarted<7 TaskStateEntered<9 TaskScheduled<10 TaskStarted<11 TaskSucceeded<12 TaskStateExited<13
      ParallelStateSucceeded<14 ParallelStateExited<14 ExecutionSucceeded<16`,
  },
  {
    name: 'Retry, used up, then Catch with Assign: branches leave no variables, the error is told',
    machine: {
      StartAt: 'both',
      States: {
        both: both(
          [
            {
              StartAt: 'look',
              States: {
                look: pass(undefined, { Assign: { seen: true }, ...goTo('torn') }),
                torn: { Type: 'Fail', Error: 'Torn', Cause: 'wet' },
              },
            },
          ],
          {
            Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 1 }],
            Catch: [
              {
                ErrorEquals: ['States.ALL'],
                Assign: { why: '{% $states.errorOutput %}' },
                Output: '{% $states.input.id %}',
                Next: 'tell',
              },
            ],
          },
        ),
        tell: pass({ id: '{% $states.input %}', why: '{% $why %}', seen: '{% $exists($seen) %}' }),
      },
    },
    input: { id: 'o-9' },
    output: { id: 'o-9', why: { Error: 'Torn', Cause: 'wet' }, seen: false },
    seconds: 1,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 PassStateEntered<3 PassStateExited<4 FailStateEntered<5
      ParallelStateStarted<6 PassStateEntered<7 PassStateExited<8 FailStateEntered<9
      ParallelStateFailed<10 ParallelStateExited<11 PassStateEntered<12 PassStateExited<13 ExecutionSucceeded<14`,
  },
  {
    name: 'a Catch whose Output gives nothing fails the Parallel once more',
    machine: {
      StartAt: 'both',
      States: {
        both: both([alone('torn', { Type: 'Fail', Error: 'Torn' })], {
          Catch: [
            { ErrorEquals: ['Lost'], Next: 'tell' },
            { ErrorEquals: ['Torn'], Output: { id: '{% $states.input.id %}' }, Next: 'tell' },
          ],
        }),
        tell: pass(),
      },
    },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('both', 2)}The JSONata expression '$states.input.id' specified for the field 'Catch[1]/Output/id' returned nothing (undefined).`,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 FailStateEntered<3 ParallelStateFailed<4
      EvaluationFailed<4 ParallelStateFailed<6 ExecutionFailed<7`,
  },
  {
    name: 'a Parallel in a Parallel',
    machine: alone('outer', both([alone('inner', both([alone('leaf', pass('{% $states.input + 1 %}'))]))])),
    input: 1,
    output: [[2]],
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 ParallelStateEntered<3 ParallelStateStarted<4
      PassStateEntered<5 PassStateExited<6 ParallelStateSucceeded<7 ParallelStateExited<7 ParallelStateSucceeded<9 ParallelStateExited<9
      ExecutionSucceeded<11`,
  },
  {
    name: 'an inner Parallel that fails is caught by the outer one',
    machine: {
      StartAt: 'outer',
      States: {
        outer: both([alone('inner', both([alone('torn', { Type: 'Fail', Error: 'Torn', Cause: 'deep' })]))], {
          Catch: [{ ErrorEquals: ['Torn'], Next: 'tell' }],
        }),
        tell: pass('{% $states.input.Cause %}'),
      },
    },
    output: 'deep',
  },
  {
    name: 'Arguments that give nothing fail the Parallel before it starts',
    machine: alone('both', both([alone('one', pass())], { Arguments: { n: '{% $states.input.n %}' } })),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: /'\$states\.input\.n' specified for the field 'Arguments\/n' returned nothing \(undefined\)\.$/,
    // As recorded of a Map whose Items fail.
    events:
      'ExecutionStarted<0 ParallelStateEntered<0 EvaluationFailed<0 ParallelStateFailed<3 ExecutionFailed<4',
  },
]
