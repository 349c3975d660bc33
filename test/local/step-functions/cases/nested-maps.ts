import { alone, type Case, goTo, pass, task, throwing } from './case.ts'

export const nestedMaps: readonly Case[] = [
  {
    name: 'a Map in a Map, one at a time, with its whole history',
    machine: alone('shelves', {
      Type: 'Map',
      MaxConcurrency: 1,
      ItemProcessor: alone('boxes', {
        Type: 'Map',
        MaxConcurrency: 1,
        ItemProcessor: alone('box', pass('{% $states.input + 100 %}')),
        Output: '{% $sum($states.result) %}',
        End: true,
      }),
      End: true,
    }),
    input: [[1, 2], [3]],
    output: [203, 103],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 MapStateEntered<4 MapStateStarted<5
      MapIterationStarted<6 PassStateEntered<7 PassStateExited<8 MapIterationSucceeded<9
      MapIterationStarted<9 PassStateEntered<11 PassStateExited<12 MapIterationSucceeded<13
      MapStateSucceeded<14 MapStateExited<14 MapIterationSucceeded<16
      MapIterationStarted<16 MapStateEntered<18 MapStateStarted<19
      MapIterationStarted<20 PassStateEntered<21 PassStateExited<22 MapIterationSucceeded<23
      MapStateSucceeded<24 MapStateExited<24 MapIterationSucceeded<26
      MapStateSucceeded<27 MapStateExited<27 ExecutionSucceeded<29`,
  },
  {
    name: 'a Map in a branch of a Parallel, with its whole history',
    machine: alone('both', {
      Type: 'Parallel',
      Branches: [
        {
          StartAt: 'boxes',
          States: {
            boxes: {
              Type: 'Map',
              MaxConcurrency: 1,
              ItemProcessor: alone('box', task('wrap')),
              Next: 'count',
            },
            count: pass('{% $count($states.input) %}'),
          },
        },
      ],
      End: true,
    }),
    input: ['cup', 'pen'],
    output: [2],
    events: `ExecutionStarted<0 ParallelStateEntered<0 ParallelStateStarted<2 MapStateEntered<3 MapStateStarted<4
      MapIterationStarted<5 TaskStateEntered<6 TaskScheduled<7 TaskStarted<8 TaskSucceeded<9 TaskStateExited<10 MapIterationSucceeded<11
      MapIterationStarted<11 TaskStateEntered<13 TaskScheduled<14 TaskStarted<15 TaskSucceeded<16 TaskStateExited<17 MapIterationSucceeded<18
      MapStateSucceeded<19 MapStateExited<19 PassStateEntered<21 PassStateExited<22
      ParallelStateSucceeded<23 ParallelStateExited<23 ExecutionSucceeded<25`,
  },
  {
    name: 'a Parallel in each iteration of a Map',
    machine: alone('each', {
      Type: 'Map',
      MaxConcurrency: 1,
      ItemProcessor: alone('both', {
        Type: 'Parallel',
        Branches: [
          alone('up', pass('{% $states.input + 1 %}')),
          alone('down', pass('{% $states.input - 1 %}')),
        ],
        End: true,
      }),
      End: true,
    }),
    input: [5, 7],
    output: [
      [6, 4],
      [8, 6],
    ],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 ParallelStateEntered<4 ParallelStateStarted<5 PassStateEntered<6 PassStateExited<7 PassStateEntered<6 PassStateExited<9
      ParallelStateSucceeded<10 ParallelStateExited<10 MapIterationSucceeded<12
      MapIterationStarted<12 ParallelStateEntered<14 ParallelStateStarted<15 PassStateEntered<16 PassStateExited<17 PassStateEntered<16 PassStateExited<19
      ParallelStateSucceeded<20 ParallelStateExited<20 MapIterationSucceeded<22
      MapStateSucceeded<23 MapStateExited<23 ExecutionSucceeded<25`,
  },
  {
    name: 'a failure in a nested Map is caught by the outer one, which goes on with the next iteration',
    machine: alone('shelves', {
      Type: 'Map',
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: 'boxes',
        States: {
          boxes: {
            Type: 'Map',
            MaxConcurrency: 1,
            ItemProcessor: alone('box', task('wrap')),
            Catch: [{ ErrorEquals: ['Torn'], Output: '{% [$states.errorOutput.Error] %}', Next: 'told' }],
            Next: 'told',
          },
          told: pass(),
        },
      },
      End: true,
    }),
    input: [['torn', 'cup'], ['pen']],
    functions: { wrap: ({ payload }) => (payload === 'torn' ? throwing('Torn') : { result: payload }) },
    output: [['Torn'], ['pen']],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
      MapIterationStarted<3 MapStateEntered<4 MapStateStarted<5
      MapIterationStarted<6 TaskStateEntered<7 TaskScheduled<8 TaskStarted<9 TaskFailed<10 MapIterationFailed<11 TaskStateAborted<11
      MapStateFailed<11 MapStateExited<14 PassStateEntered<15 PassStateExited<16 MapIterationSucceeded<17
      MapIterationStarted<17 MapStateEntered<19 MapStateStarted<20
      MapIterationStarted<21 TaskStateEntered<22 TaskScheduled<23 TaskStarted<24 TaskSucceeded<25 TaskStateExited<26 MapIterationSucceeded<27
      MapStateSucceeded<28 MapStateExited<28 PassStateEntered<30 PassStateExited<31 MapIterationSucceeded<32
      MapStateSucceeded<33 MapStateExited<33 ExecutionSucceeded<35`,
  },
  {
    name: 'inner iterations see the variables of all scopes around them',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { depot: 'N' }, ...goTo('shelves') }),
        shelves: {
          Type: 'Map',
          Items: [1, 2],
          ItemProcessor: {
            StartAt: 'shelf',
            States: {
              shelf: pass(undefined, { Assign: { shelf: '{% $states.input %}' }, ...goTo('boxes') }),
              boxes: {
                Type: 'Map',
                Items: ['x', 'y'],
                ItemProcessor: alone('box', pass('{% $depot & $string($shelf) & $states.input %}')),
                End: true,
              },
            },
          },
          End: true,
        },
      },
    },
    output: [
      ['N1x', 'N1y'],
      ['N2x', 'N2y'],
    ],
  },
]
