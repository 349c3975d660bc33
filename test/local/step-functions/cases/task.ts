import { alone, always, type Case, goTo, pass, task, throwing, whileIn } from './case.ts'

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function'
const called = (name: string, fields: Record<string, unknown> = {}) => ({
  Type: 'Task',
  Resource: `${ARN}:${name}`,
  End: true,
  ...fields,
})

export const tasks: readonly Case[] = [
  {
    name: 'lambda:invoke gives an envelope around what the function gave',
    machine: alone(
      'quote',
      task('quote', {
        Output: { keys: '{% $sort($keys($states.result)) %}', status: '{% $states.result.StatusCode %}' },
      }),
    ),
    functions: { quote: [{ result: { cents: 12 } }] },
    output: {
      keys: ['ExecutedVersion', 'Payload', 'SdkHttpMetadata', 'SdkResponseMetadata', 'StatusCode'],
      status: 200,
    },
    events:
      'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskSucceeded<4 TaskStateExited<5 ExecutionSucceeded<6',
  },
  {
    name: 'an ARN of a function without Arguments: its input goes out as it is, and the result comes bare',
    machine: alone('weigh', called('weigh')),
    input: { id: 'p-3' },
    functions: { weigh: ({ payload }) => ({ result: { weighed: payload } }) },
    output: { weighed: { id: 'p-3' } },
    events:
      'ExecutionStarted<0 TaskStateEntered<0 LambdaFunctionScheduled<2 LambdaFunctionStarted<3 LambdaFunctionSucceeded<4 TaskStateExited<5 ExecutionSucceeded<6',
  },
  {
    name: 'Arguments hold literals and expressions at any depth; keys stay as they are',
    machine: alone(
      'print',
      called('print', {
        Arguments: {
          'name.$': '$.name',
          '{% 1 + 1 %}': null,
          label: { lines: ['To:', '{% $states.input.name %}', ['{% $states.input.floor + 1 %}']], copies: 2 },
        },
      }),
    ),
    input: { name: 'Bo', floor: 3 },
    output: {
      'name.$': '$.name',
      '{% 1 + 1 %}': null,
      label: { lines: ['To:', 'Bo', [4]], copies: 2 },
    },
  },
  {
    name: 'Arguments may be one expression, and Output another',
    machine: alone(
      'sum',
      called('sum', {
        Arguments: '{% {"cents": $states.input.lines.cents} %}',
        Output: '{% $sum($states.result.cents) - $count($states.input.lines) %}',
      }),
    ),
    input: { lines: [{ cents: 5 }, { cents: 7 }] },
    output: 10,
  },
  {
    name: 'a Payload that is JSON in a text is sent as that JSON',
    machine: alone(
      'weigh',
      task('weigh', {
        Arguments: { FunctionName: `${ARN}:weigh`, Payload: '{% $string($states.input) %}' },
        Output: '{% $type($states.result.Payload) %}',
      }),
    ),
    input: { grams: 7 },
    output: 'object',
  },
  {
    name: 'a function that gives null, and one that takes an event without waiting',
    machine: {
      StartAt: 'clear',
      States: {
        clear: called('clear', { Output: { cleared: '{% $states.result %}' }, ...goTo('tell') }),
        tell: task('tell', {
          Arguments: { FunctionName: 'tell', InvocationType: 'Event', Payload: {} },
          Output: {
            before: '{% $states.input %}',
            status: '{% $states.result.StatusCode %}',
            answered: '{% $exists($states.result.Payload) %}',
          },
        }),
      },
    },
    functions: { clear: [{ result: null }] },
    output: { before: { cleared: null }, status: 202, answered: false },
  },
  {
    name: "the code's error is the execution's, and its whole answer the cause",
    machine: alone('weigh', called('weigh')),
    functions: { weigh: always(throwing('ScaleBroken', 'no zero')) },
    status: 'FAILED',
    error: 'ScaleBroken',
    cause: '{"errorType":"ScaleBroken","errorMessage":"no zero"}',
    events:
      'ExecutionStarted<0 TaskStateEntered<0 LambdaFunctionScheduled<2 LambdaFunctionStarted<3 LambdaFunctionFailed<4 ExecutionFailed<5',
  },
  {
    name: "a refusal of the service has the service's name before it",
    machine: alone('weigh', task('weigh')),
    functions: { weigh: always({ status: 429, exception: 'TooManyRequestsException' }) },
    status: 'FAILED',
    error: 'Lambda.TooManyRequestsException',
    cause: /429/,
    events:
      'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskFailed<4 ExecutionFailed<5',
  },
  {
    name: 'Arguments that give nothing fail before anything is scheduled',
    machine: alone('weigh', called('weigh', { Arguments: { parcel: '{% $states.input.parcel %}' } })),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('weigh', 2)}The JSONata expression '$states.input.parcel' specified for the field 'Arguments/parcel' returned nothing (undefined).`,
    events: 'ExecutionStarted<0 TaskStateEntered<0 EvaluationFailed<0 ExecutionFailed<3',
  },
  {
    name: 'an Output that gives nothing fails behind the success of the task',
    machine: {
      StartAt: 'weigh',
      States: {
        weigh: task('weigh', { Output: { grams: '{% $states.result.Payload.grams %}' }, ...goTo('tell') }),
        tell: pass(),
      },
    },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('weigh', 2)}The JSONata expression '$states.result.Payload.grams' specified for the field 'Output/grams' returned nothing (undefined).`,
    events:
      'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskSucceeded<4 EvaluationFailed<5 ExecutionFailed<6',
  },
]
