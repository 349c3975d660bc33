import { alone, type Case, goTo, pass, whileIn } from './case.ts'

const route = (fields: Record<string, unknown>) => ({
  StartAt: 'route',
  States: {
    route: { Type: 'Choice', Default: 'slow', ...fields },
    fast: pass({ way: 'fast', input: '{% $states.input %}', why: '{% $why %}' }),
    slow: pass({ way: 'slow', input: '{% $states.input %}', why: '{% $why %}' }),
  },
})

export const choice: readonly Case[] = [
  {
    name: 'the first rule that holds decides, with its own Assign and Output',
    machine: route({
      Choices: [
        { Condition: '{% $states.input.grams > 900 %}', Next: 'slow' },
        {
          Condition: '{% $states.input.grams > 100 %}',
          Assign: { why: '{% "over 100: " & $states.input.grams %}' },
          Output: { light: true },
          Next: 'fast',
        },
        { Condition: '{% $states.input.grams > 10 %}', Assign: { why: 'over 10' }, Next: 'slow' },
      ],
      Assign: { why: 'none' },
      Output: 'none',
    }),
    input: { grams: 250 },
    output: { way: 'fast', input: { light: true }, why: 'over 100: 250' },
    events:
      'ExecutionStarted<0 ChoiceStateEntered<0 ChoiceStateExited<2 PassStateEntered<3 PassStateExited<4 ExecutionSucceeded<5',
  },
  {
    name: 'Default goes with the Assign and Output of the state',
    machine: route({
      Choices: [
        { Condition: '{% $states.input.grams > 900 %}', Assign: { why: 'heavy' }, Output: 1, Next: 'fast' },
      ],
      Assign: { why: '{% "only " & $states.input.grams %}' },
      Output: { id: '{% $states.input.id %}' },
    }),
    input: { id: 'p-2', grams: 5 },
    output: { way: 'slow', input: { id: 'p-2' }, why: 'only 5' },
  },
  {
    name: 'without Output the input goes on as it is; a rule does not take that of the state',
    machine: route({
      Choices: [{ Condition: true, Assign: { why: 'always' }, Next: 'fast' }],
      Output: 'of the state',
    }),
    input: [1, 2],
    output: { way: 'fast', input: [1, 2], why: 'always' },
  },
  {
    name: 'rules behind the one that holds are not evaluated',
    machine: route({
      Choices: [
        { Condition: false, Next: 'slow' },
        { Condition: '{% "express" in $states.input.tags %}', Assign: { why: 'tag' }, Next: 'fast' },
        { Condition: '{% $states.input.nothing %}', Next: 'slow' },
      ],
    }),
    input: { tags: ['fragile', 'express'] },
    output: { way: 'fast', input: { tags: ['fragile', 'express'] }, why: 'tag' },
  },
  {
    name: 'what is absent equals nothing, and is in no order: a Condition that compares it by < or > fails',
    machine: route({
      Choices: [
        { Condition: '{% $states.input.absent = null %}', Next: 'slow' },
        { Condition: '{% $states.input.absent > 3 %}', Next: 'slow' },
        { Condition: '{% $states.input.coupon = null %}', Assign: { why: 'no coupon' }, Next: 'fast' },
      ],
    }),
    input: { coupon: null },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /'\$states\.input\.absent > 3' specified for the field '[^']*Condition' returned nothing \(undefined\)\.$/,
  },
  {
    name: 'a Condition must give a boolean: a text that is truthy does not do',
    machine: route({ Choices: [{ Condition: '{% $states.input.state %}', Next: 'fast' }] }),
    input: { state: 'paid' },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      /^An error occurred while executing the state 'route' \(entered at the event id #2\)\. The JSONata expression '\$states\.input\.state' specified for the field '[^']*Condition' returned an unexpected result type\. Expected 'boolean', but was 'string' for value: "paid"$/,
  },
  {
    name: 'no rule holds and there is no Default: the execution fails with States.Runtime',
    machine: {
      StartAt: 'route',
      States: {
        route: { Type: 'Choice', Choices: [{ Condition: '{% $states.input.paid %}', Next: 'ship' }] },
        ship: pass(),
      },
    },
    input: { paid: false },
    status: 'FAILED',
    error: 'States.Runtime',
    cause: `${whileIn('route', 2)}Failed to transition out of the state. The state does not point to a next state.`,
    events: 'ExecutionStarted<0 ChoiceStateEntered<0 ExecutionFailed<2',
  },
  {
    name: 'no rule holds inside a Parallel: no Catch takes it, and the execution ends at once',
    machine: {
      StartAt: 'both',
      States: {
        both: {
          Type: 'Parallel',
          Branches: [
            {
              StartAt: 'route',
              States: {
                route: { Type: 'Choice', Choices: [{ Condition: false, Next: 'ship' }] },
                ship: pass(),
              },
            },
          ],
          Retry: [{ ErrorEquals: ['States.ALL'] }],
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'caught' }],
          End: true,
        },
        caught: pass('caught'),
      },
    },
    status: 'FAILED',
    error: 'States.Runtime',
    cause: /^An error occurred while executing the state 'route' \(entered at the event id #4\)\./,
    events:
      'ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 ChoiceStateEntered<3 ExecutionFailed<4',
  },
  {
    name: 'a rule may lead back, and Fail may follow',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass({ left: 2 }, goTo('more')),
        more: {
          Type: 'Choice',
          Choices: [
            {
              Condition: '{% $states.input.left > 0 %}',
              Output: { left: '{% $states.input.left - 1 %}' },
              Next: 'more',
            },
          ],
          Default: 'empty',
        },
        empty: { Type: 'Fail', Error: 'Stock.Empty', Cause: '{% "left: " & $states.input.left %}' },
      },
    },
    status: 'FAILED',
    error: 'Stock.Empty',
    cause: 'left: 0',
    events:
      'ExecutionStarted<0 PassStateEntered<0 PassStateExited<2 ChoiceStateEntered<3 ChoiceStateExited<4 ChoiceStateEntered<5 ChoiceStateExited<6 ChoiceStateEntered<7 ChoiceStateExited<8 FailStateEntered<9 ExecutionFailed<10',
  },
  {
    name: 'a Choice in an iteration of a Map routes each item on its own',
    machine: alone('each', {
      Type: 'Map',
      Items: [4, 40],
      ItemProcessor: {
        StartAt: 'size',
        States: {
          size: {
            Type: 'Choice',
            Choices: [{ Condition: '{% $states.input > 9 %}', Next: 'crate' }],
            Default: 'letter',
          },
          crate: pass('crate'),
          letter: pass('letter'),
        },
      },
      End: true,
    }),
    output: ['letter', 'crate'],
  },
]
