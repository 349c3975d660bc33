import { alone, type Case, goTo, pass, task } from './case.ts'

/** The names in the part of the context that tells of the state. */
const STATE_KEYS = '{% $sort($keys($states.context.State)) %}'

export const statesVariable: readonly Case[] = [
  {
    name: '$states.input is the input of the state, in Output and Assign also where Arguments said something else',
    machine: {
      StartAt: 'stamp',
      States: {
        stamp: task('stamp', {
          Arguments: { FunctionName: 'stamp', Payload: { id: '{% $states.input.id %}' } },
          Output: { in: '{% $states.input %}', out: '{% $states.result.Payload %}' },
          Assign: { urgent: '{% $states.input.urgent %}' },
          ...goTo('tell'),
        }),
        tell: pass('{% $merge([$states.input, {"urgent": $urgent}]) %}'),
      },
    },
    input: { id: 'p-1', urgent: true },
    output: { in: { id: 'p-1', urgent: true }, out: { id: 'p-1' }, urgent: true },
  },
  {
    name: '$states.context: of a Pass has its name and time of entry, and no count of retries',
    machine: alone('note', pass(STATE_KEYS)),
    output: ['EnteredTime', 'Name'],
  },
  {
    name: '$states.context: of Task, Parallel and Map counts the retries',
    machine: {
      StartAt: 'call',
      States: {
        call: task('call', {
          Arguments: { FunctionName: 'call', Payload: '{% $states.context.State.RetryCount %}' },
          ...goTo('both'),
        }),
        both: {
          Type: 'Parallel',
          Branches: [alone('inner', pass())],
          Output: '{% $append($states.result, $states.context.State.RetryCount) %}',
          Next: 'each',
        },
        each: {
          Type: 'Map',
          ItemProcessor: alone('item', pass()),
          Output: '{% $append($states.result, $states.context.State.RetryCount) %}',
          End: true,
        },
      },
    },
    output: [0, 0, 0],
  },
  {
    name: '$states.context: names every kind of state to its own expressions',
    machine: {
      StartAt: 'choose',
      States: {
        choose: {
          Type: 'Choice',
          Choices: [
            {
              Condition: '{% $states.context.State.Name = "choose" %}',
              Output: '{% [$states.context.State.Name] %}',
              Next: 'rest',
            },
          ],
          Default: 'rest',
        },
        rest: {
          Type: 'Wait',
          Seconds: 0,
          Output: '{% $append($states.input, $states.context.State.Name) %}',
          Next: 'both',
        },
        both: {
          Type: 'Parallel',
          Branches: [alone('inner', pass('{% $states.context.State.Name %}'))],
          Output: '{% $append($append($states.input, $states.result), $states.context.State.Name) %}',
          Next: 'done',
        },
        done: { Type: 'Succeed', Output: '{% $append($states.input, $states.context.State.Name) %}' },
      },
    },
    output: ['choose', 'rest', 'inner', 'both', 'done'],
  },
  {
    name: '$states.context: tells a Fail its name',
    machine: alone('refuse', { Type: 'Fail', Error: '{% "By." & $states.context.State.Name %}' }),
    status: 'FAILED',
    error: 'By.refuse',
  },
  {
    name: '$states.context.Execution: keeps the first input, its names and the start',
    machine: {
      StartAt: 'forget',
      States: {
        forget: pass('{% "something else" %}', goTo('tell')),
        tell: pass({
          keys: '{% $sort($keys($states.context.Execution)) %}',
          machine: '{% $sort($keys($states.context.StateMachine)) %}',
          first: '{% $states.context.Execution.Input %}',
          named: '{% $contains($states.context.Execution.Id, $states.context.Execution.Name) %}',
          later:
            '{% $toMillis($states.context.State.EnteredTime) >= $toMillis($states.context.Execution.StartTime) %}',
          redrives: '{% $states.context.Execution.RedriveCount %}',
        }),
      },
    },
    input: { id: 'r-4' },
    output: {
      keys: ['Id', 'Input', 'Name', 'RedriveCount', 'RoleArn', 'StartTime'],
      machine: ['Id', 'Name'],
      first: { id: 'r-4' },
      named: true,
      later: true,
      redrives: 0,
    },
  },
  {
    name: '$states.context.Map.Item: is there in ItemSelector and in the states of the iteration, and nowhere else',
    machine: {
      StartAt: 'each',
      States: {
        each: {
          Type: 'Map',
          Items: ['ash', 'oak'],
          ItemSelector: {
            tag: '{% $string($states.context.Map.Item.Index) & $states.context.Map.Item.Value %}',
          },
          ItemProcessor: alone(
            'item',
            pass(
              '{% [$states.input.tag, $states.context.Map.Item.Value, $string($states.context.Map.Item.Index)] %}',
            ),
          ),
          Next: 'tell',
        },
        tell: pass({ items: '{% $states.input %}', still: '{% $exists($states.context.Map) %}' }),
      },
    },
    output: {
      items: [
        ['0ash', 'ash', '0'],
        ['1oak', 'oak', '1'],
      ],
      still: false,
    },
  },
  {
    name: '$states.context.Map.Item: is the one of the innermost Map',
    machine: alone('rows', {
      Type: 'Map',
      Items: [['a', 'b'], ['c']],
      ItemProcessor: alone('cells', {
        Type: 'Map',
        ItemProcessor: alone(
          'cell',
          pass('{% $states.context.Map.Item.Value & $string($states.context.Map.Item.Index) %}'),
        ),
        End: true,
      }),
      End: true,
    }),
    output: [['a0', 'b1'], ['c0']],
  },
]
