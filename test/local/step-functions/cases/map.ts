import { alone, type Case, goTo, pass, task, whileIn } from './case.ts'

const each = (fields: Record<string, unknown>, inner: Record<string, unknown> = pass()) =>
  alone('each', { Type: 'Map', ItemProcessor: alone('item', inner), End: true, ...fields })

export const map: readonly Case[] = [
  {
    name: 'no items: no iterations, and an empty list',
    machine: each({ Items: '{% $states.input.orders %}' }),
    input: { orders: [] },
    output: [],
    events:
      'ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapStateSucceeded<3 MapStateExited<3 ExecutionSucceeded<5',
  },
  {
    name: 'without Items the input is iterated over; one item gives a list of one',
    machine: each({}, pass('{% $states.input.grams * 2 %}')),
    input: [{ grams: 8 }],
    output: [16],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 PassStateEntered<4 PassStateExited<5
      MapIterationSucceeded<6 MapStateSucceeded<7 MapStateExited<7 ExecutionSucceeded<9`,
  },
  {
    name: 'Items may be a list of literals and expressions',
    machine: each({ Items: ['{% $states.input.first %}', { id: '{% 1 + 1 %}' }, null, [3]] }),
    input: { first: 'o-1' },
    output: ['o-1', { id: 2 }, null, [3]],
  },
  {
    name: 'one at a time: an iteration starts behind the last event of the states before it',
    machine: each({ Items: [1, 2], MaxConcurrency: 1 }, task('stamp')),
    output: [1, 2],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 TaskStateEntered<4 TaskScheduled<5 TaskStarted<6 TaskSucceeded<7 TaskStateExited<8 MapIterationSucceeded<9
      MapIterationStarted<9 TaskStateEntered<11 TaskScheduled<12 TaskStarted<13 TaskSucceeded<14 TaskStateExited<15 MapIterationSucceeded<16
      MapStateSucceeded<17 MapStateExited<17 ExecutionSucceeded<19`,
  },
  {
    name: 'MaxConcurrency as an expression of the input',
    machine: each({
      Items: '{% $states.input.items %}',
      MaxConcurrency: '{% $states.input.atOnce %}',
    }),
    input: { items: ['a', 'b'], atOnce: 1 },
    output: ['a', 'b'],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 PassStateEntered<4 PassStateExited<5 MapIterationSucceeded<6
      MapIterationStarted<6 PassStateEntered<8 PassStateExited<9 MapIterationSucceeded<10
      MapStateSucceeded<11 MapStateExited<11 ExecutionSucceeded<13`,
  },
  {
    name: 'results stand in the order of the items, whichever iteration ends first',
    machine: each(
      { Items: [6, 1, 2] },
      { Type: 'Wait', Seconds: '{% $states.input %}', Output: '{% $states.input * 10 %}', End: true },
    ),
    output: [60, 10, 20],
    seconds: 6,
  },
  {
    name: "ItemSelector gives the iteration its input, from the item, the Map's input and variables",
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { unit: 'g' }, ...goTo('each') }),
        each: {
          Type: 'Map',
          Items: '{% $states.input.weights %}',
          ItemSelector: {
            text: '{% $string($states.context.Map.Item.Value) & $unit %}',
            of: '{% $states.input.id %}',
            place: '{% $states.context.Map.Item.Index + 1 %}',
            fixed: ['literal'],
          },
          ItemProcessor: alone('item', pass()),
          End: true,
        },
      },
    },
    input: { id: 'p-8', weights: [5, 6] },
    output: [
      { text: '5g', of: 'p-8', place: 1, fixed: ['literal'] },
      { text: '6g', of: 'p-8', place: 2, fixed: ['literal'] },
    ],
  },
  {
    name: 'Output and Assign of the Map see all results',
    machine: {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: [2, 3],
          ItemProcessor: alone('item', pass('{% $states.input + 1 %}')),
          Assign: { highest: '{% $max($states.result) %}' },
          Output: '{% $states.input.id %}',
          Next: 'tell',
        },
        tell: pass('{% $states.input & ":" & $string($highest) %}'),
      },
    },
    input: { id: 'o-3' },
    output: 'o-3:4',
  },
  {
    name: 'Items that are no list fail the Map, with their value in the cause',
    machine: each({ Items: '{% $states.input.orders %}' }),
    input: { orders: 12 },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('each', 2)}The JSONata expression '$states.input.orders' specified for the field 'Items' returned an unexpected result type. Expected 'array', but was 'number' for value: 12`,
    events: 'ExecutionStarted<0 MapStateEntered<0 EvaluationFailed<0 MapStateFailed<3 ExecutionFailed<4',
  },
  {
    name: 'Items that are nothing fail the Map',
    machine: each({ Items: '{% $states.input.orders %}' }),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('each', 2)}The JSONata expression '$states.input.orders' specified for the field 'Items' returned nothing (undefined).`,
    events: 'ExecutionStarted<0 MapStateEntered<0 EvaluationFailed<0 MapStateFailed<3 ExecutionFailed<4',
  },
  {
    name: 'an input that is no list fails a Map without Items',
    machine: each({}),
    input: { orders: [] },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('each', 2)}Map state input must be an array but was: {"orders":[]}`,
    events: 'ExecutionStarted<0 MapStateEntered<0 EvaluationFailed<0 MapStateFailed<3 ExecutionFailed<4',
  },
]
