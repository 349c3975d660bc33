import fc from 'fast-check'
import { doer, eq, gt, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { MapState, States, TaskState } from '../../src/compile/asl.ts'
import { MAXIMUM_EVENTS, worstCaseOf } from '../../src/compile/worst-case/worst-case.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { proveWithin } from '../support/doers/run-generated.ts'
import { driveAlong } from '../support/walks/drive-walk.ts'
import { wanderThrough } from '../support/walks/wander-through.ts'

const NO_BOUNDS = { loops: new Map(), lists: new Map() }
const passing = { Type: 'Pass', Output: 'done', End: true } as const
const task: TaskState = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: 'f', Payload: {} },
  Retry: [
    { ErrorEquals: ['Busy'], MaxAttempts: 2 },
    { ErrorEquals: ['Lost'], MaxAttempts: 1 },
  ],
  Next: 'end',
}
const machine = (states: States['States'], StartAt = Object.keys(states)[0] ?? ''): States => ({
  StartAt,
  States: states,
})
const mapping = (state: Partial<MapState>, iteration: States): MapState => ({
  Type: 'Map',
  Items: [],
  ItemSelector: {},
  MaxConcurrency: 2,
  ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...iteration },
  Catch: [{ ErrorEquals: ['States.ALL'], Output: {}, Next: 'end' }],
  Output: {},
  ...state,
  Next: 'end',
})
const longFailing = machine({
  which: { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'done' }], Default: 'one' },
  done: passing,
  one: { Type: 'Wait', Seconds: 1, Next: 'two' },
  two: { Type: 'Wait', Seconds: 1, Next: 'fails' },
  fails: { Type: 'Fail', Error: 'E', Cause: 'c' },
})
const listOf = (most: number) => ({ ...NO_BOUNDS, lists: new Map([['map', { most, id: 1 }]]) })

describe('W5 the worst case of a machine, counted by hand', () => {
  it.each<[string, States, typeof NO_BOUNDS, number, number]>([
    // ExecutionStarted, PassStateEntered, PassStateExited, ExecutionSucceeded.
    ['of one Pass', machine({ end: passing }), NO_BOUNDS, 4, 1],
    // Entered, four times Scheduled, Started and Failed or Succeeded, Exited; and the Pass.
    ['of a Task with three retries', machine({ task, end: passing }), NO_BOUNDS, 4 + 14, 1 + 4],
    [
      'of a Task that waits for a token, which adds a TaskSubmitted to each attempt',
      machine({
        task: { ...task, Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken' },
        end: passing,
      }),
      NO_BOUNDS,
      4 + 14 + 4,
      1 + 4,
    ],
    [
      'of a Choice whose longer branch is the second',
      machine({
        choice: { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'end' }], Default: 'longer' },
        longer: { Type: 'Wait', Seconds: 1, Next: 'end' },
        end: passing,
      }),
      NO_BOUNDS,
      4 + 2 + 2,
      3,
    ],
    [
      'of a Catch that leads a longer way, after an expression that failed',
      machine({
        task: { ...task, Catch: [{ ErrorEquals: ['States.ALL'], Output: {}, Next: 'mend' }] },
        mend: { ...task, Retry: [] },
        end: passing,
      }),
      NO_BOUNDS,
      // EvaluationFailed, and Entered, Scheduled, Started, Succeeded, Exited of the second.
      4 + 14 + 1 + 5,
      1 + 4 + 1,
    ],
    [
      'of a Map of five items',
      machine({ map: mapping({}, machine({ item: passing })), end: passing }),
      listOf(5),
      // Entered, Started, Succeeded, EvaluationFailed, Failed, Exited, and of each Started, Entered, Exited, Succeeded.
      4 + 6 + 5 * 4,
      1 + 1 + 5,
    ],
    [
      'of a Map of one item that always fails',
      machine({
        map: mapping({}, machine({ item: { Type: 'Fail', Error: 'E', Cause: 'c' } })),
        end: passing,
      }),
      listOf(1),
      // Entered, Started, MapIterationStarted, FailStateEntered, MapIterationFailed, Failed, Exited.
      4 + 7,
      1 + 1 + 1,
    ],
    [
      'of a Map whose items fail a longer way than they succeed: at the end as many are on it as run at once',
      machine({ map: mapping({}, longFailing), end: passing }),
      listOf(5),
      // Four of its own, three that succeed, one that fails, and one that is stopped in its second Wait.
      4 + 4 + 3 * (2 + 4) + (2 + 7) + (2 + 6),
      1 + 1 + 3 * 2 + 4 + 3,
    ],
    [
      'of a Map without items',
      machine({ map: mapping({}, machine({ item: passing })), end: passing }),
      listOf(0),
      4 + 6,
      1 + 1,
    ],
    [
      'of a loop of three times',
      machine({
        start: { Type: 'Pass', Output: {}, Next: 'again' },
        again: { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'end' }], Default: 'body' },
        body: { Type: 'Wait', Seconds: 1, Next: 'again' },
        end: passing,
      }),
      {
        ...NO_BOUNDS,
        loops: new Map([['again', { times: 3, entry: 'start', id: 1, kind: 'whole' as const }]]),
      },
      4 + 2 + 3 * 4 + 2,
      2 + 3 * 2 + 1,
    ],
  ])('%s', (_, states, bounds, events, transitions) => {
    const worst = worstCaseOf(states, bounds)
    expect(worst.histories.map((history) => history.events)).toEqual([events])
    expect(worst.transitions).toBe(transitions)
  })

  it('of a distributed Map: its own six or eight events, and a history for an item', () => {
    const distributed = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } } as const
    const map = mapping({ ItemProcessor: { ...distributed, ...machine({ item: passing }) } }, machine({}))
    const worst = worstCaseOf(machine({ map, end: passing }), listOf(3_000))
    expect(worst.histories.map(({ map, events }) => [map, events])).toEqual([
      [undefined, 4 + 8],
      ['map', 4],
    ])
    expect(worst).toMatchObject({ transitions: 1 + 3_000 + 1, dollars: 3_002 * 0.000025 })
  })
})

describe('W5 the computed events are those that the stand-in records', () => {
  it.each([MAXIMUM_EVENTS, 400])(
    'along the worst walk of generated doers, where a history takes %d',
    async (maximumEvents) => {
      const doers = fc.sample(generatedDoer, { numRuns: 30, seed: 5 })
      for (const each of doers) await expectDriven(each, maximumEvents)
    },
  )

  it('with loops in loops, and failures in branches that come last', async () => {
    await expectDriven(nested, MAXIMUM_EVENTS)
  })
})

describe('W5 no way through a machine has more events than were computed', () => {
  it('for generated doers', async () => {
    const { close } = await wanderThrough({ doers: 20, ways: 10, maximumEvents: 400, seed: 6 })
    expect(close).toBeGreaterThan(20)
  })
})

async function expectDriven(each: Parameters<typeof proveWithin>[0], maximumEvents: number) {
  for (const history of proveWithin(each, maximumEvents).worst.histories) {
    const driven = await driveAlong(history)
    expect(history.events).toBeGreaterThanOrEqual(driven.events)
    expect(history.events).toBeLessThanOrEqual(1.2 * driven.events)
    expect(driven.status).toBe(history.end === 'succeeded' ? 'SUCCEEDED' : 'FAILED')
  }
}

const count = tool({
  name: 'count',
  description: 'Counts',
  readOnly: true,
  timeoutSeconds: 5,
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number(), list: z.array(z.number()).max(4) }),
}).run(({ n }) => ({ n, list: [] }))

const nested = doer({
  name: 'nested',
  description: 'Loops',
  input: z.object({ n: z.number() }),
  output: z.unknown(),
}).plan((d, input) => {
  const { n } = d.repeat('outer', { from: { n: input.n }, until: (s) => gt(s.n, 9), max: 3 }, (s) => {
    const both = d.parallel('both', {
      loops: () =>
        d.repeat('inner', { from: { n: s.n }, until: (t) => eq(t.n, 3), max: 4 }, (t) => ({
          n: d.step('count', count, { n: t.n }).n,
        })),
      fails: () =>
        d.choose(
          'whether',
          gt(s.n, 2),
          () => d.fail('too many', { name: 'Internal', message: 'too many' }),
          () => 1,
        ),
    })
    return { n: both.loops.n }
  })
  const { list } = d.step('list', count, { n })
  return d.map(
    'each',
    list,
    (item) =>
      d.recover('try', () => d.step('again', count, { n: item }).n, {
        on: ['NotFound'],
        with: () => 0,
      }),
    { concurrency: 2 },
  )
})
