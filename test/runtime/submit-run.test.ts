import { doer } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Denied, InvalidInput } from '../../src/core/errors.ts'
import { submitRun } from '../../src/runtime/submit-run.ts'
import { EXPIRES_AT, NOW } from '../store/records.ts'
import { createStage, orderAgent, orderStatus, readRun } from './stage.ts'

const KEY = { idempotencyKey: 'key' }
const question = { question: 'why' }
const order = { orderNumber: 'A-1' }

describe('submitting a thinker', () => {
  it('makes a run with the input that was parsed, and nudges its turn function', async () => {
    const { ports, sent } = createStage()
    const { kind, runId } = await submitRun(ports, orderAgent, question)
    expect(kind).toBe('accepted')
    expect(await readRun(ports, runId)).toEqual({
      id: runId,
      kind: 'thinker',
      agent: 'order_agent',
      status: 'running',
      input: { question: 'why', tone: 'kind' },
      inputHash: expect.stringMatching(/^[0-9a-f]{32}$/),
      createdAt: NOW,
      expiresAt: EXPIRES_AT,
      lookAt: NOW + 55_000,
      told: false,
      tokens: new Set(),
      untold: new Set(),
      waiter: undefined,
    })
    expect(sent).toEqual([{ target: 'turn-order_agent', message: { kind: 'nudge', runId } }])
  })

  it('makes another run each time without a key', async () => {
    const { ports } = createStage()
    const ids = [await submitRun(ports, orderAgent, question), await submitRun(ports, orderAgent, question)]
    expect(new Set(ids.map(({ runId }) => runId)).size).toBe(2)
  })

  it('is refused with an input that does not fit, and makes nothing', async () => {
    const { ports, sent } = createStage()
    await expect(submitRun(ports, orderAgent, { question: '' }, KEY)).rejects.toThrow(InvalidInput)
    expect(await submitRun(ports, orderAgent, question, KEY)).toMatchObject({ kind: 'accepted' })
    expect(sent).toHaveLength(1)
  })
})

describe('submitting with an idempotency key', () => {
  it('finds the same run again, and nudges again: the first nudge may be lost', async () => {
    const { ports, sent } = createStage()
    const first = await submitRun(ports, orderAgent, question, KEY)
    const second = await submitRun(ports, orderAgent, question, KEY)
    expect(second).toEqual({ kind: 'repeated', runId: first.runId })
    expect(sent).toHaveLength(2)
  })

  it('makes one run of two at once', async () => {
    const { ports } = createStage()
    const submitted = await Promise.all([1, 2].map(() => submitRun(ports, orderAgent, question, KEY)))
    expect(submitted.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'repeated'])
  })

  it('is a conflict with another input, and starts nothing', async () => {
    const { ports, sent } = createStage()
    const { runId } = await submitRun(ports, orderAgent, question, KEY)
    expect(await submitRun(ports, orderAgent, { question: 'when' }, KEY)).toEqual({ kind: 'conflict', runId })
    expect((await readRun(ports, runId)).input).toEqual({ question: 'why', tone: 'kind' })
    expect(sent).toHaveLength(1)
  })

  it('starts nothing again for a run that is over', async () => {
    const { ports, store, sent } = createStage()
    const { runId } = await submitRun(ports, orderAgent, question, KEY)
    await store.runs.end(await readRun(ports, runId), { status: 'exhausted' }, NOW, 'owner')
    expect(await submitRun(ports, orderAgent, question, KEY)).toEqual({ kind: 'repeated', runId })
    expect(sent).toHaveLength(1)
  })

  it('belongs to one agent: another has runs of its own under it', async () => {
    const { ports } = createStage()
    const first = await submitRun(ports, orderAgent, question, KEY)
    const second = await submitRun(ports, orderStatus, order, KEY)
    expect(second).toMatchObject({ kind: 'accepted' })
    expect(second.runId).not.toBe(first.runId)
  })
})

describe('submitting a tool', () => {
  const callOf = (runId: string, input: unknown) => ({
    target: 'tool-order_status',
    message: expect.objectContaining({
      kind: 'call',
      runId,
      turn: 1,
      entry: 0,
      expected: 1,
      nudge: 'resume',
      input,
    }),
  })

  it('is a run of one turn with one call, of the input as it was given: the tool’s function parses it', async () => {
    const { ports, store, sent } = createStage()
    const { runId } = await submitRun(ports, orderStatus, order)
    expect(await readRun(ports, runId)).toMatchObject({ kind: 'tool', agent: 'order_status', input: order })
    const calls = [{ name: 'order_status', arguments: '{"orderNumber":"A-1"}', input: order }]
    expect(await store.turns.read(runId, 1)).toMatchObject({
      state: 'committed',
      body: { outcome: { kind: 'calls', calls } },
    })
    expect(sent).toEqual([callOf(runId, order)])
  })

  it('is dispatched again by a repeat', async () => {
    const { ports, sent } = createStage()
    const { runId } = await submitRun(ports, orderStatus, order, KEY)
    expect(await submitRun(ports, orderStatus, order, KEY)).toEqual({ kind: 'repeated', runId })
    expect(sent).toEqual([callOf(runId, order), callOf(runId, order)])
  })

  it('never runs with the input of an earlier submission that stopped before it made the run', async () => {
    const { ports, store, sent } = createStage()
    const create = () => Promise.reject(new Error('The table is away'))
    const away = { ...ports, store: { ...store, runs: { ...store.runs, create } } }
    await expect(submitRun(away, orderStatus, order, KEY)).rejects.toThrow('The table is away')
    expect(await submitRun(ports, orderStatus, { orderNumber: 'B-2' }, KEY)).toMatchObject({
      kind: 'conflict',
    })
    expect(sent).toEqual([])
    const { kind, runId } = await submitRun(ports, orderStatus, order, KEY)
    expect(kind).toBe('accepted')
    expect(sent).toEqual([callOf(runId, order)])
  })

  it('runs with the input of its run when two inputs come at once under one key', async () => {
    const { ports, sent } = createStage()
    const inputs = [order, { orderNumber: 'B-2' }]
    const submitted = await Promise.all(inputs.map((input) => submitRun(ports, orderStatus, input, KEY)))
    expect(submitted.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'conflict'])
    const accepted = submitted.findIndex(({ kind }) => kind === 'accepted')
    expect(sent).toEqual([callOf(submitted[accepted]?.runId ?? '', inputs[accepted])])
  })

  it('reads a large input from the turn: an event carries at most 1 MB', async () => {
    const { ports, sent } = createStage()
    await submitRun(ports, orderStatus, { orderNumber: 'x'.repeat(200_000) })
    expect(sent[0]?.message).not.toHaveProperty('input')
  })

  it('that may not be invoked records that as its result, and nudges', async () => {
    const { ports, store, sent } = createStage({
      async send(target) {
        if (target === 'tool-order_status') throw new Denied('Not from here')
      },
    })
    const { runId } = await submitRun(ports, orderStatus, order)
    const entries = await store.calls.read({ runId, sk: 'T#000001#R' })
    expect(entries.entry(0).result).toMatchObject({
      ok: false,
      failure: { name: 'Denied', message: 'Not from here' },
    })
    expect(sent).toEqual([{ target: 'resume', message: { kind: 'nudge', runId } }])
  })
})

describe('submitting a doer', () => {
  it('starts its machine, with the same input each time', async () => {
    const { ports, machines } = createStage()
    const report = doer({
      name: 'report',
      description: 'd',
      input: z.object({ days: z.number().default(7) }),
      output: z.null(),
    }).plan(() => null)
    const { runId } = await submitRun(ports, report, {}, KEY)
    await submitRun(ports, report, {}, KEY)
    const start = { doer: 'report', runId, input: { runId, input: { days: 7 } } }
    expect(machines.started).toEqual([start, start])
  })
})
