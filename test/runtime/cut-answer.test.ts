import { describe, expect, it } from 'vitest'
import type { Keep } from '../../src/core/keep.ts'
import { cutAnswer } from '../../src/runtime/cut-answer.ts'
import { followPointers } from '../../src/runtime/pointers.ts'
import { stepCall } from '../../src/store/keys.ts'
import { EXPIRES_AT, newRun } from '../store/records.ts'
import { createStage } from './stage.ts'

const address = stepCall('run', { number: 1, name: 'list', indexes: [3] })
const answer = (output: unknown, keep: Keep, mostBytes = 16_384) =>
  cutAnswer(output, address, { keep, mostBytes })
const pointer = (...way: (string | number)[]) => ({ 'turnwise:value': ['S#0001#list#00003', 0, ...way] })
const large = 'é'.repeat(600)
const order = { orderNumber: 'A-1', total: 5, note: large }

describe('N31 a machine’s state carries of a result what later steps read', () => {
  it.each<readonly [string, unknown, Keep, unknown]>([
    ['nothing', order, {}, {}],
    ['only that a value is there', 5, {}, 5],
    ['a field', order, { fields: { total: 'inline' } }, { total: 5 }],
    ['a field that is absent', order, { fields: { city: 'passed' } }, {}],
    ['a field named as what every object has', order, { fields: { toString: 'inline' as const } }, {}],
    [
      'fields of each item',
      { orders: [order, order], next: 1 },
      { fields: { orders: { items: { fields: { total: 'inline' } } } } },
      { orders: [{ total: 5 }, { total: 5 }] },
    ],
    ['how many items there are', [order, order, order], { items: {} }, [{}, {}, {}]],
    ['null as it is', { note: null }, { fields: { note: 'passed' } }, { note: null }],
    ['small values themselves', { note: 'short' }, 'passed', { note: 'short' }],
    ['large values as pointers', order, { fields: { note: 'passed' } }, { note: pointer('note') }],
    ['large values that it computes with', order, { fields: { note: 'inline' } }, { note: large }],
    [
      'a large object as a pointer with what it computes with',
      order,
      { whole: true, fields: { total: 'inline' } },
      { ...pointer(), total: 5 },
    ],
    [
      'the items of a list that it looks at as pointers',
      [order, 'short'],
      { whole: true, items: 'passed' },
      [pointer(0), 'short'],
    ],
  ])('%s', (_, output, keep, expected) => {
    expect(answer(output, keep)).toEqual({ output: expected })
  })

  it('null as it is, however small a value has to be', () => {
    expect(cutAnswer({ note: null }, address, { keep: 'passed', mostBytes: 0 }, [0])).toEqual({
      output: pointer(),
    })
    const wanted = { keep: { fields: { note: 'passed' } }, mostBytes: 0 } as const
    expect(cutAnswer({ note: null }, address, wanted, [0])).toEqual({ output: { note: null } })
  })

  it('and less of it where together it is too much', () => {
    const texts = Array.from({ length: 40 }, () => 'x'.repeat(500))
    expect(answer(texts, { items: 'passed' })).toEqual({ output: texts.map((_, index) => pointer(index)) })
    expect(answer(texts, { items: 'passed' }, 100_000)).toEqual({ output: texts })
  })

  it('fails where what the machine computes with is too large for a state', () => {
    expect(answer('x'.repeat(250_000), 'inline')).toEqual({
      failure: {
        name: 'Internal',
        message: expect.stringContaining('of what it gave the machine carries 250002 bytes'),
      },
    })
  })

  it('keeps in the table what looks as if it had a pointer in it', () => {
    expect(answer({ a: pointer('x') }, 'passed')).toEqual({ output: pointer() })
  })

  it('fails where what the machine computes with looks as if it had a pointer in it', () => {
    const failure = { name: 'Internal', message: expect.stringContaining('has a field "turnwise:value"') }
    expect(answer({ a: [pointer('x')], b: 1 }, { fields: { a: 'inline' } })).toEqual({ failure })
    expect(answer({ a: [pointer('x')], b: 1 }, { fields: { b: 'inline' } })).toEqual({ output: { b: 1 } })
  })

  it('answers all of it to a machine that does not say what it wants', () => {
    expect(cutAnswer(order, address, undefined)).toEqual({ output: order })
  })
})

describe('a pointer in an input', () => {
  const { ports, store } = createStage()
  const record = async (value: unknown) => {
    await store.runs.create(newRun('run'))
    const place = { ...address, expected: 1, expiresAt: EXPIRES_AT }
    await store.calls.record(place, { ok: true, value, startedAt: 1, endedAt: 2 }, 'owner', { kind: 'open' })
  }

  it('is followed to the value in the step’s record, wherever it stands', async () => {
    await record({ orders: [order, { ...order, note: '漢字' }] })
    const input = { first: pointer('orders', 0), notes: [pointer('orders', 1, 'note'), 'own'], n: 1 }
    expect(await followPointers(ports, 'run', input)).toEqual({
      first: order,
      notes: ['漢字', 'own'],
      n: 1,
    })
  })

  it('to a record without a result is an error, and never undefined', async () => {
    const nowhere = { 'turnwise:value': ['S#0009#gone', 0, 'a'] }
    await expect(followPointers(ports, 'run', nowhere)).rejects.toThrow(
      'The record of S#0009#gone has no result, to which a value points',
    )
  })

  it.each([
    ['to what an object has from its prototype', pointer('constructor', 'constructor')],
    ['to an item that a list does not have', { 'turnwise:value': [`A#${'0'.repeat(32)}`, 0] }],
  ])('%s is an error', async (_, nowhere) => {
    await record({ orders: [] })
    await expect(followPointers(ports, 'run', [nowhere])).rejects.toThrow()
  })

  it('that is none, for its form, is data', async () => {
    const data = { 'turnwise:value': ['T#000001', 0], 'and more': { 'turnwise:value': 'x' } }
    expect(await followPointers(ports, 'run', data)).toEqual(data)
  })
})
