import { alone, type Case, goTo, pass, task, whileIn } from './case.ts'

export const variables: readonly Case[] = [
  {
    name: 'Assign: every expression of a state sees the variables as they were when it was entered',
    machine: {
      StartAt: 'first',
      States: {
        first: { Type: 'Pass', Assign: { a: 1, b: 2 }, Next: 'swap' },
        swap: { Type: 'Pass', Assign: { a: '{% $b %}', b: '{% $a %}' }, Output: '{% $a %}', Next: 'tell' },
        tell: {
          Type: 'Pass',
          Output: { a: '{% $a %}', b: '{% $b %}', before: '{% $states.input %}' },
          End: true,
        },
      },
    },
    output: { a: 2, b: 1, before: 1 },
    events:
      'ExecutionStarted<0 PassStateEntered<0 PassStateExited<2 PassStateEntered<3 PassStateExited<4 PassStateEntered<5 PassStateExited<6 ExecutionSucceeded<7',
  },
  {
    name: 'Assign: a loop counts in a variable',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { knocks: 0 }, ...goTo('knock') }),
        knock: pass(undefined, { Assign: { knocks: '{% $knocks + 1 %}' }, ...goTo('answered') }),
        answered: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $knocks < 3 %}', Next: 'knock' }],
          Default: 'tell',
        },
        tell: pass('{% $knocks %}'),
      },
    },
    output: 3,
  },
  {
    name: 'Assign: takes literals and expressions at any depth, and null',
    machine: {
      StartAt: 'note',
      States: {
        note: pass(undefined, {
          Assign: {
            order: { id: '{% $states.input.id %}', lines: ['{% 2 * 3 %}', 'gift wrap'] },
            coupon: null,
          },
          ...goTo('tell'),
        }),
        tell: pass({ order: '{% $order %}', line: '{% $order.lines[0] %}', none: '{% $coupon = null %}' }),
      },
    },
    input: { id: 'o-1' },
    output: { order: { id: 'o-1', lines: [6, 'gift wrap'] }, line: 6, none: true },
  },
  {
    name: 'Assign: of a Task sees its result, and leaves its output alone',
    machine: {
      StartAt: 'price',
      States: {
        price: task('price', {
          Assign: { cents: '{% $states.result.Payload.cents %}', asked: '{% $states.input.sku %}' },
          ...goTo('tell'),
        }),
        tell: pass({ input: '{% $states.input %}', cents: '{% $cents %}', asked: '{% $asked %}' }),
      },
    },
    input: { sku: 's-9' },
    functions: { price: [{ result: { cents: 450 } }] },
    output: { input: { cents: 450 }, cents: 450, asked: 's-9' },
  },
  {
    name: 'scopes: branches see the outer variables, have their own of one name, and leave none behind',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { depot: 'north' }, ...goTo('both') }),
        both: {
          Type: 'Parallel',
          Branches: [
            {
              StartAt: 'post',
              States: {
                post: pass(undefined, { Assign: { way: 'post' }, ...goTo('told post') }),
                'told post': pass('{% $depot & "/" & $way %}'),
              },
            },
            {
              StartAt: 'drone',
              States: {
                drone: pass(undefined, { Assign: { way: 'drone' }, ...goTo('told drone') }),
                'told drone': pass('{% $depot & "/" & $way %}'),
              },
            },
          ],
          Next: 'tell',
        },
        tell: pass({ ways: '{% $states.input %}', left: '{% $exists($way) %}', depot: '{% $depot %}' }),
      },
    },
    output: { ways: ['north/post', 'north/drone'], left: false, depot: 'north' },
  },
  {
    name: 'scopes: each iteration of a Map has its own variables; what it gives back goes through the result',
    machine: {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: [3, 5],
          ItemProcessor: {
            StartAt: 'square',
            States: {
              square: pass(undefined, {
                Assign: { squared: '{% $states.input * $states.input %}' },
                ...goTo('give'),
              }),
              give: pass('{% $squared %}'),
            },
          },
          Assign: { total: '{% $sum($states.result) %}' },
          Next: 'tell',
        },
        tell: pass({ total: '{% $total %}', left: '{% $exists($squared) %}' }),
      },
    },
    output: { total: 34, left: false },
  },
  {
    name: 'a variable that was never assigned is nothing, and the failure names its field',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, goTo('bill')),
        bill: pass({ total: '{% $subtotal %}' }),
      },
    },
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('bill', 4)}The JSONata expression '$subtotal' specified for the field 'Output/total' returned nothing (undefined).`,
    events:
      'ExecutionStarted<0 PassStateEntered<0 PassStateExited<2 PassStateEntered<3 EvaluationFailed<3 ExecutionFailed<5',
  },
  {
    name: 'a failing Assign fails the state, and names the variable',
    machine: alone('bill', pass('{% "ok" %}', { Assign: { total: '{% $states.input.total %}' } })),
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause: `${whileIn('bill', 2)}The JSONata expression '$states.input.total' specified for the field 'Assign/total' returned nothing (undefined).`,
    events: 'ExecutionStarted<0 PassStateEntered<0 EvaluationFailed<0 ExecutionFailed<3',
  },
]
