import { alone, always, type Case, goTo, pass, task, throwing, whileIn } from './case.ts'

const type = 'EXPRESS'

export const express: readonly Case[] = [
  {
    name: 'passes, assigns and succeeds',
    type,
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(
          { id: '{% $states.input.id %}' },
          { Assign: { grams: '{% $states.input.grams %}' }, ...goTo('end') },
        ),
        end: { Type: 'Succeed', Output: '{% $merge([$states.input, {"grams": $grams}]) %}' },
      },
    },
    input: { id: 'p-9', grams: 4 },
    output: { id: 'p-9', grams: 4 },
  },
  {
    name: 'a Task, a Choice, a Map and a Parallel',
    type,
    machine: {
      StartAt: 'weigh',
      States: {
        weigh: task('weigh', goTo('heavy')),
        heavy: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.grams > 10 %}', Next: 'each' }],
          Default: 'refuse',
        },
        each: {
          Type: 'Map',
          Items: '{% [1..3] %}',
          ItemProcessor: alone('part', pass('{% $states.input * 2 %}')),
          Next: 'both',
        },
        both: {
          Type: 'Parallel',
          Branches: [
            alone('sum', pass('{% $sum($states.input) %}')),
            alone('count', pass('{% $count($states.input) %}')),
          ],
          End: true,
        },
        refuse: { Type: 'Fail' },
      },
    },
    functions: { weigh: [{ result: { grams: 20 } }] },
    output: [12, 3],
  },
  {
    name: 'fails with error and cause',
    type,
    machine: alone('refuse', { Type: 'Fail', Error: 'Order.Lost', Cause: '{% $states.input.why %}' }),
    input: { why: 'van in the sea' },
    status: 'FAILED',
    error: 'Order.Lost',
    cause: 'van in the sea',
  },
  {
    name: 'catches what a function throws',
    type,
    machine: {
      StartAt: 'charge',
      States: {
        charge: task('charge', { Catch: [{ ErrorEquals: ['Declined'], Next: 'tell' }] }),
        tell: pass(),
      },
    },
    functions: { charge: always(throwing('Declined')) },
    output: { Error: 'Declined', Cause: '{"errorType":"Declined","errorMessage":"no"}' },
  },
  {
    name: 'a failing expression names its field',
    type,
    machine: alone('note', pass({ id: '{% $states.input.id %}' })),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('note', 2)}The JSONata expression '$states.input.id' specified for the field 'Output/id' returned nothing (undefined).`,
  },
  {
    name: 'its context tells of no redrives when it was started synchronously',
    type,
    machine: alone('note', pass('{% $sort($keys($states.context.Execution)) %}')),
    output: ['Id', 'Input', 'Name', 'RoleArn', 'StartTime'],
  },
  {
    name: 'the ARN of its execution says express',
    type,
    machine: alone('note', pass("{% $split($states.context.Execution.Id, ':')[[2, 5]] %}")),
    output: ['states', 'express'],
  },
]
