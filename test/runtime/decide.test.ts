import { describe, expect, it } from 'vitest'
import type { Failure } from '../../src/core/errors.ts'
import { decide, lastInARow } from '../../src/runtime/decide.ts'
import type { Turn } from '../../src/store/records.ts'
import { answerOf, askedCall, bodyOf, callsOf, leaseOf, NOW, resultOf } from '../store/records.ts'
import { committed, entriesOf } from './stage.ts'

const MAXIMUM_TURNS = 3
const throttled: Failure = { name: 'Throttled', message: 'Later' }
const denied: Failure = { name: 'Denied', message: 'No' }

const leased = (number: number, given: Parameters<typeof leaseOf>[1] = {}): Turn => ({
  state: 'leased',
  number,
  lease: leaseOf('a', given),
})
const called = (number: number) => committed(number, callsOf(askedCall()), entriesOf({ 0: resultOf(1) }))
const correction = (number: number) =>
  committed(number, bodyOf({ kind: 'correction', text: 'x', correction: 'Say less.' }))
const waited = (number: number, until: number) =>
  committed(number, bodyOf({ kind: 'wait', until, failure: throttled }))
const failed = (message: string, name: Failure['name'] = 'Internal') => ({
  kind: 'finish',
  ending: { status: 'failed', error: { name, message } },
})

describe('what is done next', () => {
  const open = committed(1, callsOf(askedCall(), askedCall()), entriesOf({ 1: resultOf(1) }))
  const refused = committed(1, callsOf(askedCall({ answered: denied }), askedCall({ answered: denied })))
  const expired = { until: NOW, attempt: 2 }

  it.each<[string, readonly Turn[], unknown]>([
    ['no turn: the first', [], { kind: 'take-turn', number: 1 }],
    ['a live lease: nothing', [leased(1, { until: NOW + 1 })], { kind: 'nothing' }],
    [
      'a lease that ran out: its turn again',
      [called(1), leased(2, expired)],
      { kind: 'take-turn', number: 2, expired: leaseOf('a', expired) },
    ],
    [
      'a third lease that ran out: the run fails',
      [leased(1, { until: NOW, attempt: 3 })],
      failed('Turn 1 was begun 3 times, and its function died each time'),
    ],
    ['a tombstone: nothing', [called(1), { state: 'tombstone', number: 2 }], { kind: 'nothing' }],
    [
      'an answer: the end',
      [called(1), committed(2, answerOf({ text: 'hi' }))],
      { kind: 'finish', ending: { status: 'completed', output: { text: 'hi' } } },
    ],
    ['an open call: it is looked after', [open], { kind: 'look-after-calls', turn: open }],
    ['all calls answered: the next turn', [called(1)], { kind: 'take-turn', number: 2 }],
    ['all calls refused by the turn: the next turn', [refused], { kind: 'take-turn', number: 2 }],
    ['a correction: the next turn', [correction(1)], { kind: 'take-turn', number: 2 }],
    ['two corrections: the next turn', [correction(1), correction(2)], { kind: 'take-turn', number: 3 }],
    [
      'three corrections in a row: the run fails',
      [correction(1), correction(2), correction(3)],
      failed('LLM: no usable answer after 2 corrections: Say less.', 'ExternalService'),
    ],
    ['a wait that is not over: until then', [waited(1, NOW + 1)], { kind: 'wait', until: NOW + 1 }],
    ['a wait that is over: the next turn', [waited(1, NOW)], { kind: 'take-turn', number: 2 }],
    [
      'five waits in a row: the run fails with what kept it waiting',
      [1, 2, 3, 4, 5].map((number) => waited(number, NOW)),
      { kind: 'finish', ending: { status: 'failed', error: throttled } },
    ],
    [
      'as many replies as there may be: the run is exhausted',
      [called(1), called(2), called(3)],
      { kind: 'finish', ending: { status: 'exhausted' } },
    ],
    [
      'an answer in the last turn: the end, and not exhausted',
      [called(1), called(2), committed(3, answerOf(1))],
      { kind: 'finish', ending: { status: 'completed', output: 1 } },
    ],
    [
      'an open call in the last turn: it is looked after',
      [called(1), called(2), committed(3, open.body, open.results)],
      { kind: 'look-after-calls', turn: committed(3, open.body, open.results) },
    ],
    [
      'waits between replies: they do not count as turns',
      [called(1), waited(2, NOW), called(3), waited(4, NOW)],
      { kind: 'take-turn', number: 5 },
    ],
  ])('after %s', (_, turns, decision) => {
    expect(decide(turns, MAXIMUM_TURNS, NOW)).toEqual(decision)
  })
})

describe('how often in a row', () => {
  it('counts from the end to the first other outcome', () => {
    const turns = [correction(1), called(2), correction(3), correction(4)]
    expect(lastInARow(turns, 'correction')).toBe(2)
    expect(lastInARow(turns, 'calls')).toBe(0)
    expect(lastInARow([], 'wait')).toBe(0)
    expect(lastInARow([waited(1, NOW), leased(2)], 'wait')).toBe(0)
  })
})
