import { describe, expect, it } from 'vitest'
import { judgeOpenCall, lookAfterCalls } from '../../src/runtime/look-after-calls.ts'
import type { AskedCall } from '../../src/store/records.ts'
import { askedCall, callsOf, claimOf, EXPIRES_AT, leaseOf, NOW, newRun } from '../store/records.ts'
import { createStage, readRun } from './stage.ts'

const toolOf = (kind: 'read-only' | 'idempotent' | 'changing') =>
  ({
    kind: 'tool',
    readOnly: kind === 'read-only',
    idempotent: kind === 'idempotent',
    timeoutSeconds: 60,
  }) as const
const child = { kind: 'thinker', childId: 'child' } as const
/** A tool of 60 s is late after the oldest event, its timeout and 30 s. */
const LATE_MS = (300 + 60 + 30) * 1_000
const CHILD_LATE_MS = (300 + 30) * 1_000

describe('what an open call is due', () => {
  const dead = claimOf('a', { deadAfter: NOW - 1 })
  const alive = claimOf('a', { deadAfter: NOW })
  it.each<[string, Parameters<typeof judgeOpenCall>[0]['target'], number, object, string]>([
    ['asked just now', toolOf('changing'), 0, {}, 'leave'],
    ['not late yet', toolOf('changing'), LATE_MS, {}, 'leave'],
    ['late', toolOf('changing'), LATE_MS + 1, {}, 'dispatch'],
    ['late three times', toolOf('changing'), 3 * LATE_MS, {}, 'dispatch'],
    ['later than that', toolOf('changing'), 3 * LATE_MS + 1, {}, 'give-up'],
    ['of a turn whose function died', toolOf('changing'), 0, { neverSent: true }, 'dispatch'],
    ['claimed by one that may be alive', toolOf('changing'), 0, { claim: alive }, 'leave'],
    [
      'claimed, and its turn’s function died',
      toolOf('changing'),
      0,
      { claim: alive, neverSent: true },
      'leave',
    ],
    [
      'claimed by one that may be alive, however late',
      toolOf('changing'),
      9 * LATE_MS,
      { claim: alive },
      'leave',
    ],
    ['claimed by a dead one', toolOf('changing'), 0, { claim: dead }, 'give-up'],
    ['idempotent, claimed by a dead one', toolOf('idempotent'), 0, { claim: dead }, 'dispatch'],
    [
      'idempotent, claimed by a dead one, and later than three times',
      toolOf('idempotent'),
      3 * LATE_MS + 1,
      { claim: dead },
      'give-up',
    ],
    ['read-only and late', toolOf('read-only'), LATE_MS + 1, {}, 'dispatch'],
    ['read-only and later than that', toolOf('read-only'), 3 * LATE_MS + 1, {}, 'give-up'],
    ['of a child, just now', child, CHILD_LATE_MS, {}, 'leave'],
    ['of a child that may not have been made', child, CHILD_LATE_MS + 1, {}, 'dispatch'],
    ['of a child, and its turn’s function died', child, 0, { neverSent: true }, 'dispatch'],
    ['of a child, days later', child, 1_000 * CHILD_LATE_MS, {}, 'dispatch'],
  ])('%s: %s', (_, target, ageMs, given, verdict) => {
    const call = { target, claim: undefined, askedAt: NOW - ageMs, neverSent: false, now: NOW, ...given }
    expect(judgeOpenCall(call)).toBe(verdict)
  })
})

describe('looking after the calls of a turn', () => {
  async function askFor(calls: readonly AskedCall[]) {
    const stage = createStage()
    const { ports, store } = stage
    await store.runs.create(newRun('run'))
    const run = await readRun(ports, 'run')
    await store.turns.lease(run, 1, leaseOf('a'))
    await store.turns.commit(run, 1, 'a', callsOf(...calls))
    const look = async (deadRequestId?: string) => {
      const turn = await store.turns.read('run', 1)
      if (turn?.state !== 'committed') throw new Error('The turn is gone')
      await lookAfterCalls(ports, run, turn, deadRequestId)
      return turn
    }
    const resultAt = async (entry: number) =>
      (await store.calls.read({ runId: 'run', sk: 'T#000001#R' })).entry(entry).result
    const place = { runId: 'run', sk: 'T#000001#R', entry: 0, expected: calls.length, expiresAt: EXPIRES_AT }
    return { ...stage, look, resultAt, place }
  }

  it('dispatches at once what a dead invocation committed and may not have sent', async () => {
    const { look, sent } = await askFor([askedCall(), askedCall({ target: toolOf('changing') })])
    await look('another request')
    expect(sent).toEqual([])
    await look('request')
    expect(sent).toEqual(
      [0, 1].map((entry) => ({ target: 'tool-order_status', message: expect.objectContaining({ entry }) })),
    )
  })

  it('says of a changing call whose claim died that its outcome is unknown, and nudges', async () => {
    const { look, store, place, clock, resultAt, sent } = await askFor([
      askedCall({ target: toolOf('changing') }),
    ])
    await store.calls.claim(place, claimOf('a'))
    clock.advance(75_001)
    await look()
    expect(await resultAt(0)).toEqual({
      ok: false,
      failure: {
        name: 'Interrupted',
        message: 'order_status was begun and its function is gone, so its outcome is unknown',
      },
      startedAt: NOW,
      endedAt: NOW + 75_001,
    })
    expect(sent).toEqual([{ target: 'turn-order_agent', message: { kind: 'nudge', runId: 'run' } }])
  })

  it.each([
    ['changing', 'Throttled', 'order_status could not be begun, and has changed nothing'],
    ['read-only', 'Timeout', 'order_status did not answer'],
  ] as const)('gives a %s call up after three late periods: %s', async (kind, name, message) => {
    const { look, clock, resultAt } = await askFor([askedCall({ target: toolOf(kind) })])
    clock.advance(3 * LATE_MS + 2_001)
    await look()
    expect(await resultAt(0)).toMatchObject({ ok: false, failure: { name, message } })
  })
})
