import { describe, expect, it } from 'vitest'
import { viewRun } from '../../src/gateway/run-view.ts'
import type { AskedCall, Run, RunEnding, StepRecord, Turn, TurnBody } from '../../src/store/records.ts'
import { committed, entriesOf } from '../runtime/stage.ts'
import {
  answerOf,
  askedCall,
  bodyOf,
  callsOf,
  claimOf,
  leaseOf,
  NOW,
  resultOf,
  runningRun,
} from '../store/records.ts'

const running: Run = runningRun('run')
const ended = (ending: RunEnding): Run => ({ ...runningRun('run'), ...ending, endedAt: NOW + 5_000 })
const cancelled = ended({ status: 'cancelled' })

const at = (seconds: number, ms = 0) => new Date(NOW + seconds * 1_000 + ms).toISOString()
const turnsOf = (turns: readonly Turn[], run: Run = running) => viewRun({ run, turns, steps: [] }, NOW).turns
const denied = { name: 'Denied', message: 'No' } as const
const failed = {
  ok: false,
  failure: { name: 'NotFound', message: 'No order' },
  startedAt: NOW,
  endedAt: NOW + 1,
} as const

describe('a run', () => {
  const facts = {
    id: 'run',
    kind: 'thinker',
    agent: 'order_agent',
    createdAt: '2026-01-01T00:00:00.000Z',
    input: { orderNumber: 'A-1' },
    turns: [],
    steps: [],
  }
  it.each<[Run, object]>([
    [running, { status: 'running' }],
    [ended({ status: 'completed', output: { text: 'hi' } }), { status: 'completed', answer: { text: 'hi' } }],
    [ended({ status: 'completed', output: null }), { status: 'completed', answer: null }],
    [ended({ status: 'failed', error: denied }), { status: 'failed', error: denied }],
    [ended({ status: 'exhausted' }), { status: 'exhausted', answer: null }],
    [cancelled, { status: 'cancelled' }],
  ])('shows how it stands, and nothing of its tokens, hashes and waiters: $status', (run, view) => {
    const times = run.status === 'running' ? {} : { endedAt: '2026-01-01T00:00:05.000Z' }
    expect(viewRun({ run, turns: [], steps: [] }, NOW)).toEqual({ ...facts, ...times, ...view })
  })
})

describe('a turn', () => {
  const said = (outcome: TurnBody['outcome']) =>
    committed(2, bodyOf(outcome, { model: 'gpt', usage: { inputTokens: 10, outputTokens: 2 } }))
  const common = {
    number: 2,
    startedAt: at(0),
    endedAt: at(2),
    model: 'gpt',
    usage: { inputTokens: 10, outputTokens: 2 },
  }

  it.each<[string, Turn, object]>([
    [
      'that asks the model',
      { state: 'leased', number: 1, lease: leaseOf('a') },
      { number: 1, outcome: 'asking', startedAt: at(0) },
    ],
    [
      'that was begun again',
      { state: 'leased', number: 1, lease: leaseOf('a', { attempt: 2 }) },
      { number: 1, outcome: 'asking', startedAt: at(0), attempt: 2 },
    ],
    [
      'in whose place the run was cancelled',
      { state: 'tombstone', number: 3 },
      { number: 3, outcome: 'cancelled' },
    ],
    [
      'with the answer',
      said({ kind: 'answer', text: '{"text":"hi"}', value: { text: 'hi' } }),
      { ...common, outcome: 'answer', text: '{"text":"hi"}' },
    ],
    [
      'that was corrected',
      said({ kind: 'correction', text: '{"te', correction: 'Say less.' }),
      { ...common, outcome: 'correction', text: '{"te', correction: 'Say less.' },
    ],
    [
      'that waits',
      committed(2, bodyOf({ kind: 'wait', until: NOW + 10_000, failure: denied })),
      { number: 2, startedAt: at(0), endedAt: at(2), outcome: 'wait', waitUntil: at(10), error: denied },
    ],
    [
      'with text beside its calls',
      said({ kind: 'calls', text: 'Let me see', calls: [] }),
      { ...common, outcome: 'calls', text: 'Let me see', calls: [] },
    ],
  ])('%s', (_, turn, view) => {
    expect(turnsOf([turn])).toEqual([view])
  })

  it('of a tool’s own run has no model', () => {
    expect(turnsOf([committed(1, answerOf(1))])).toEqual([
      { number: 1, startedAt: at(0), endedAt: at(2), outcome: 'answer', text: 'done' },
    ])
  })
})

describe('a call', () => {
  const input = { orderNumber: 'A-1' }
  const viewCall = (asked: Partial<AskedCall>, entries = entriesOf(), run: Run = running) =>
    turnsOf([committed(1, callsOf(askedCall(asked)), entries)], run)[0]?.calls
  const claimed = entriesOf({}, { 0: claimOf('a', { claimedAt: NOW + 3_000 }) })

  it.each<[string, Parameters<typeof viewCall>, object]>([
    ['that waits', [{}], { status: 'waiting' }],
    ['that was never begun when its run ended', [{}, entriesOf(), cancelled], { status: 'lost' }],
    ['that is running', [{}, claimed], { status: 'running', startedAt: at(3) }],
    [
      'that was begun, and whose run has ended',
      [{}, claimed, cancelled],
      { status: 'lost', startedAt: at(3) },
    ],
    [
      'that is done',
      [{}, entriesOf({ 0: resultOf(null) })],
      { status: 'completed', output: null, startedAt: at(0), endedAt: at(0, 1) },
    ],
    [
      'that failed',
      [{}, entriesOf({ 0: failed })],
      { status: 'failed', error: failed.failure, startedAt: at(0), endedAt: at(0, 1) },
    ],
    ['that the turn refused', [{ answered: denied }], { status: 'failed', error: denied }],
  ])('%s', (_, [asked, entries, run], view) => {
    expect(viewCall(asked, entries, run)).toEqual([{ name: 'order_status', input, ...view }])
  })

  it('of an agent shows its run', () => {
    expect(viewCall({ name: 'helper', target: { kind: 'thinker', childId: 'child' } })).toEqual([
      { name: 'helper', input, run: 'child', status: 'waiting' },
    ])
  })

  it('stands in the order in which it was asked, whichever ended first', () => {
    const turn = committed(
      1,
      callsOf(askedCall({ name: 'a' }), askedCall({ name: 'b' })),
      entriesOf({ 1: resultOf(1) }),
    )
    expect(turnsOf([turn])[0]?.calls?.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'waiting'],
      ['b', 'completed'],
    ])
  })
})

describe('a step of a doer', () => {
  const stepOf = (given: Partial<StepRecord> = {}): StepRecord => ({
    number: 1,
    name: 'look up',
    indexes: [],
    callable: 'order_status',
    input: { a: 1 },
    attempts: 1,
    startedAt: NOW,
    entry: { result: undefined, claim: undefined },
    closed: false,
    ...given,
  })
  const stepsOf = (steps: readonly StepRecord[], run: Run = running) =>
    viewRun({ run, turns: [], steps }, NOW).steps
  const common = { number: 1, step: 'look up', name: 'order_status', input: { a: 1 }, startedAt: at(0) }
  const claim = claimOf('a', { claimedAt: NOW + 3_000 })

  it.each<[string, Partial<StepRecord>, Run, object]>([
    [
      'that is running',
      { entry: { result: undefined, claim } },
      running,
      { status: 'running', startedAt: at(3) },
    ],
    [
      'that was begun, and whose run has ended',
      { entry: { result: undefined, claim } },
      cancelled,
      { status: 'lost', startedAt: at(3) },
    ],
    [
      'that is done',
      { entry: { result: resultOf('open'), claim } },
      running,
      { status: 'completed', output: 'open', endedAt: at(0, 1) },
    ],
    [
      'that failed',
      { entry: { result: failed, claim } },
      running,
      { status: 'failed', error: failed.failure, endedAt: at(0, 1) },
    ],
    [
      'that an agent does',
      {
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: 'child', kind: 'thinker', notedAt: NOW },
        },
      },
      running,
      { run: 'child', status: 'running' },
    ],
    [
      'that an agent did not end before the run did',
      {
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: 'child', kind: 'thinker', notedAt: NOW },
        },
      },
      cancelled,
      { run: 'child', status: 'lost' },
    ],
    [
      'that its doer went on without',
      {
        entry: { result: undefined, claim, late: { ok: true, startedAt: NOW + 3_000, endedAt: NOW + 5_000 } },
        closed: true,
      },
      running,
      { status: 'lost', startedAt: at(3), late: { status: 'completed', endedAt: at(5) } },
    ],
    [
      'of an agent that its doer went on without',
      {
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: 'child', kind: 'thinker', notedAt: NOW },
        },
        closed: true,
      },
      running,
      { run: 'child', status: 'lost' },
    ],
    [
      'that a dead worker’s successor did',
      {
        entry: {
          result: resultOf('open'),
          claim,
          late: { ok: false, failure: 'Timeout', startedAt: NOW, endedAt: NOW + 5_000 },
        },
      },
      running,
      {
        status: 'completed',
        output: 'open',
        endedAt: at(0, 1),
        late: { status: 'failed', error: 'Timeout', endedAt: at(5) },
      },
    ],
    [
      'of an item of a map',
      {
        indexes: [0],
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: 'child', kind: 'thinker', notedAt: NOW },
        },
      },
      running,
      { indexes: [0], run: 'child', status: 'running' },
    ],
  ])('%s', (_, given, run, view) => {
    expect(stepsOf([stepOf(given)], run)).toEqual([{ ...common, ...view }])
  })

  it('stands in the order of the plan, and the items of a map in the order of its list', () => {
    const steps = [
      stepOf({ number: 12 }),
      stepOf({ number: 3, indexes: [1, 10] }),
      stepOf({ number: 3, indexes: [1, 9] }),
      stepOf(),
    ]
    expect(stepsOf(steps).map(({ number, indexes }) => [number, indexes])).toEqual([
      [1, undefined],
      [3, [1, 9]],
      [3, [1, 10]],
      [12, undefined],
    ])
  })
})
