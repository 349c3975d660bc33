import { alone, type Case, pass, silent, task, whileIn } from './case.ts'

const TIMED_OUT =
  'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskTimedOut<4 ExecutionFailed<5'
const never = { sign: silent }
const signing = (fields: Record<string, unknown>) =>
  alone('sign', {
    ...task('sign'),
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: { FunctionName: 'sign', Payload: '{% $states.context.Task.Token %}' },
    ...fields,
  })

export const timeouts: readonly Case[] = [
  {
    name: 'TimeoutSeconds ends a Task whose function does not answer, without a cause',
    machine: alone('sign', task('sign', { TimeoutSeconds: 3 })),
    functions: never,
    status: 'FAILED',
    error: 'States.Timeout',
    seconds: 3,
    events: TIMED_OUT,
  },
  {
    name: 'TimeoutSeconds as an expression',
    machine: alone('sign', task('sign', { TimeoutSeconds: '{% $states.input.patience * 2 %}' })),
    input: { patience: 2 },
    functions: never,
    status: 'FAILED',
    error: 'States.Timeout',
    seconds: 4,
    events: TIMED_OUT,
  },
  {
    name: 'the Task of a function by its ARN times out with an event of its own type',
    machine: alone('sign', {
      Type: 'Task',
      Resource: 'arn:aws:lambda:us-east-1:000000000000:function:sign',
      TimeoutSeconds: 2,
      End: true,
    }),
    functions: never,
    status: 'FAILED',
    error: 'States.Timeout',
    events:
      'ExecutionStarted<0 TaskStateEntered<0 LambdaFunctionScheduled<2 LambdaFunctionStarted<3 LambdaFunctionTimedOut<4 ExecutionFailed<5',
  },
  {
    name: 'TimeoutSeconds that are no number fail the Task before it starts',
    machine: alone('sign', task('sign', { TimeoutSeconds: '{% $states.input.patience %}' })),
    input: { patience: 'long' },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /'\$states\.input\.patience' specified for the field 'TimeoutSeconds' returned an unexpected result type\. .*but was 'string' for value: "long"$/,
    events: 'ExecutionStarted<0 TaskStateEntered<0 EvaluationFailed<0 ExecutionFailed<3',
  },
  {
    name: 'TimeoutSeconds that are nothing name their field',
    machine: alone('sign', task('sign', { TimeoutSeconds: '{% $patience %}' })),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('sign', 2)}The JSONata expression '$patience' specified for the field 'TimeoutSeconds' returned nothing (undefined).`,
  },
  {
    name: 'a lost heartbeat is told as States.Timeout',
    machine: signing({ HeartbeatSeconds: 2, TimeoutSeconds: 600 }),
    functions: { sign: [{ result: 'taken' }] },
    status: 'FAILED',
    error: 'States.Timeout',
    seconds: 2,
  },
  {
    name: 'HeartbeatSeconds as an expression; the shorter of the two times counts',
    machine: signing({
      HeartbeatSeconds: '{% $states.input.beat %}',
      TimeoutSeconds: '{% $states.input.most %}',
    }),
    input: { beat: 3, most: 5 },
    functions: { sign: [{ result: 'taken' }] },
    status: 'FAILED',
    error: 'States.Timeout',
    seconds: 3,
  },
  {
    name: 'a Task that answers in time is not touched by its times',
    machine: alone('sign', task('sign', { TimeoutSeconds: 86_400, HeartbeatSeconds: 3_600 })),
    input: 'fine',
    output: 'fine',
    events:
      'ExecutionStarted<0 TaskStateEntered<0 TaskScheduled<2 TaskStarted<3 TaskSucceeded<4 TaskStateExited<5 ExecutionSucceeded<6',
  },
  {
    name: 'TimeoutSeconds of the machine ends the execution as TIMED_OUT, with neither error nor cause',
    machine: { TimeoutSeconds: 10, ...alone('rest', { Type: 'Wait', Seconds: 86_400, End: true }) },
    status: 'TIMED_OUT',
    seconds: 10,
    events: 'ExecutionStarted<0 WaitStateEntered<0 ExecutionTimedOut<0',
  },
  {
    name: 'TimeoutSeconds of the machine are not caught by a state',
    machine: {
      TimeoutSeconds: 10,
      StartAt: 'both',
      States: {
        both: {
          Type: 'Parallel',
          Branches: [alone('sign', task('sign'))],
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'tell' }],
          End: true,
        },
        tell: pass(),
      },
    },
    functions: never,
    status: 'TIMED_OUT',
    seconds: 10,
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 TaskStateEntered<3 TaskScheduled<4 TaskStarted<5
      ExecutionTimedOut<0`,
  },
]
