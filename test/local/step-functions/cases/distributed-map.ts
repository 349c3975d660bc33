import { alone, type Case, goTo, pass, task, throwing } from './case.ts'

const distributed = (fields: Record<string, unknown>, inner: Record<string, unknown> = pass()) => ({
  Type: 'Map',
  ItemProcessor: {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    ...alone('item', inner),
  },
  End: true,
  ...fields,
})

/** Fails for each item that is 'torn'. */
const wrapping = task('wrap')
const wrap = {
  wrap: ({ payload }: { readonly payload: unknown }) =>
    payload === 'torn' ? throwing('Torn') : { result: payload },
}

const EXCEEDED = {
  status: 'FAILED',
  error: 'States.ExceedToleratedFailureThreshold',
  cause: 'The specified tolerated failure threshold was exceeded',
} as const
const FAILED =
  'ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapRunStarted<3 MapRunFailed<4 MapStateFailed<5 ExecutionFailed<6'

export const distributedMap: readonly Case[] = [
  {
    name: 'its history has the Map Run and nothing of the iterations',
    machine: alone('parcels', distributed({ Label: 'Parcels' }, pass('{% $states.input & "!" %}'))),
    input: ['a', 'b', 'c'],
    output: ['a!', 'b!', 'c!'],
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapRunStarted<3 MapRunSucceeded<4 MapStateSucceeded<5 MapStateExited<5
      ExecutionSucceeded<7`,
  },
  {
    name: 'its iterations see no variables from outside, its own fields do',
    machine: {
      StartAt: 'begin',
      States: {
        begin: pass(undefined, { Assign: { depot: 'N' }, ...goTo('parcels') }),
        parcels: distributed(
          { Items: [1], ItemSelector: { given: '{% $depot %}' } },
          pass({ given: '{% $states.input.given %}', seen: '{% $exists($depot) %}' }),
        ),
      },
    },
    output: [{ given: 'N', seen: false }],
  },
  {
    name: 'ItemBatcher: gives so many items at once, with BatchInput beside them, the rest last',
    machine: alone(
      'parcels',
      distributed(
        {
          Items: '{% $states.input.weights %}',
          ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { rate: '{% $states.input.rate %}', fixed: 'g' } },
        },
        pass({
          keys: '{% $sort($keys($states.input)) %}',
          cost: '{% $sum($states.input.Items) * $states.input.BatchInput.rate %}',
          unit: '{% $states.input.BatchInput.fixed %}',
        }),
      ),
    ),
    input: { rate: 3, weights: [1, 2, 3, 4, 5] },
    output: [
      { keys: ['BatchInput', 'Items'], cost: 9, unit: 'g' },
      { keys: ['BatchInput', 'Items'], cost: 21, unit: 'g' },
      { keys: ['BatchInput', 'Items'], cost: 15, unit: 'g' },
    ],
  },
  {
    name: 'ItemBatcher: takes expressions, and what ItemSelector made of the items',
    machine: alone(
      'parcels',
      distributed(
        {
          Items: ['a', 'b', 'c'],
          ItemSelector: '{% $states.context.Map.Item.Value & $string($states.context.Map.Item.Index) %}',
          ItemBatcher: { MaxItemsPerBatch: '{% $states.input.atOnce %}' },
        },
        pass('{% $states.input.Items %}'),
      ),
    ),
    input: { atOnce: 2 },
    output: [['a0', 'b1'], ['c2']],
  },
  {
    name: 'ItemBatcher: MaxInputBytesPerBatch closes a batch before it grows too large',
    machine: alone(
      'parcels',
      distributed(
        // Texts of 100 characters: three are some 320 bytes, four are above 400.
        {
          Items: "{% [1..7].$pad('', 100, 'x') %}",
          ItemBatcher: { MaxInputBytesPerBatch: 380 },
        },
        pass('{% $count($states.input.Items) %}'),
      ),
    ),
    output: [3, 3, 1],
  },
  {
    name: 'without a tolerance one failure is too many',
    machine: alone('parcels', distributed({}, wrapping)),
    input: ['cup', 'torn'],
    functions: wrap,
    ...EXCEEDED,
    events: FAILED,
  },
  {
    name: 'ToleratedFailureCount: as many failures as it says do not fail the Map',
    machine: alone('parcels', distributed({ ToleratedFailureCount: 1, Output: 'done' }, wrapping)),
    input: ['cup', 'torn', 'pen'],
    functions: wrap,
    output: 'done',
    events: `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapRunStarted<3 MapRunSucceeded<4 MapStateSucceeded<5 MapStateExited<5
      ExecutionSucceeded<7`,
  },
  {
    name: 'ToleratedFailureCount: counts items, not batches of them',
    machine: alone('parcels', {
      Type: 'Map',
      Items: [1, 2, 3, 4],
      ItemBatcher: { MaxItemsPerBatch: 2 },
      ToleratedFailureCount: 1,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'wrap',
        States: { wrap: task('wrap') },
      },
      End: true,
    }),
    functions: { wrap: [throwing('Torn'), { result: 1 }] },
    status: 'FAILED',
    error: 'States.ExceedToleratedFailureThreshold',
    cause: 'The specified tolerated failure threshold was exceeded',
  },
  {
    name: 'ToleratedFailureCount: one more fails it',
    machine: alone(
      'parcels',
      distributed({ ToleratedFailureCount: '{% $count($states.input) - 2 %}' }, wrapping),
    ),
    input: ['torn', 'torn', 'pen'],
    functions: wrap,
    ...EXCEEDED,
    events: FAILED,
  },
  {
    name: 'ToleratedFailurePercentage: counts against all items',
    machine: alone(
      'parcels',
      distributed(
        {
          Items: '{% $states.input.items %}',
          ToleratedFailurePercentage: '{% $states.input.most %}',
          Output: 'done',
        },
        wrapping,
      ),
    ),
    input: { most: 50, items: ['torn', 'cup', 'pen', 'ink'] },
    functions: wrap,
    output: 'done',
  },
  {
    name: 'ToleratedFailurePercentage: more fail the Map, whatever the count allows',
    machine: alone(
      'parcels',
      distributed({ ToleratedFailurePercentage: 50, ToleratedFailureCount: 9 }, wrapping),
    ),
    input: ['torn', 'torn', 'torn', 'ink'],
    functions: wrap,
    ...EXCEEDED,
  },
  {
    name: 'the exceeded threshold is caught by its name',
    machine: {
      StartAt: 'parcels',
      States: {
        parcels: distributed(
          { Catch: [{ ErrorEquals: ['States.ExceedToleratedFailureThreshold'], Next: 'tell' }] },
          wrapping,
        ),
        tell: pass(),
      },
    },
    input: ['torn'],
    functions: wrap,
    output: { Error: EXCEEDED.error, Cause: EXCEEDED.cause },
  },
]
