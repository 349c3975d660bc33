import { listArtifact, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { CallMessage } from '../../src/runtime/messages.ts'
import type { Invocation } from '../../src/runtime/ports.ts'
import { runCall } from '../../src/runtime/run-call.ts'
import { turnCall } from '../../src/store/keys.ts'
import { EXPIRES_AT, NOW } from '../store/records.ts'
import { createStage, settled } from './stage.ts'

const address = turnCall('run', 1, 0)
const place = { ...address, expected: 1, expiresAt: EXPIRES_AT }

const invocationOf = (owner: string, startedAt = NOW): Invocation => ({
  owner,
  requestId: `request of ${owner}`,
  deadline: startedAt + 35_000,
})

const messageOf = (given: Partial<CallMessage> = {}): CallMessage => ({
  kind: 'call',
  runId: 'run',
  agent: 'order_agent',
  tool: 'charge',
  turn: 1,
  entry: 0,
  expected: 1,
  attempt: 1,
  expiresAt: EXPIRES_AT,
  nudge: 'turn-order_agent',
  readOnly: false,
  idempotent: false,
  timeoutSeconds: 30,
  input: {},
  ...given,
})

/** A tool that counts its runs, and what it is on. */
function createCharge(given: { readOnly?: boolean; idempotent?: boolean; code?: () => unknown } = {}) {
  const stage = createStage()
  let runs = 0
  const charge = tool({
    name: 'charge',
    description: 'Charges',
    input: z.object({ cents: z.number().default(1) }),
    output: z.unknown(),
    timeoutSeconds: 30,
    readOnly: given.readOnly ?? false,
    idempotent: given.idempotent ?? false,
  }).run(() => {
    runs += 1
    return given.code?.() ?? 'paid'
  })
  const deliver = (owner: string, message = messageOf()) =>
    runCall(stage.ports, charge, invocationOf(owner, stage.clock.now()), message, {})
  const result = async () => (await stage.store.calls.read(address)).entry(0).result
  return { ...stage, deliver, result, runs: () => runs }
}

const nudge = { target: 'turn-order_agent', message: { kind: 'nudge', runId: 'run' } }

describe('one delivery of a call', () => {
  it('runs the tool, records its result and nudges', async () => {
    const { deliver, result, sent } = createCharge()
    expect(await deliver('a')).toMatchObject({ isStillRunning: false })
    expect(await result()).toEqual({ ok: true, value: 'paid', startedAt: NOW, endedAt: NOW })
    expect(sent).toEqual([nudge])
  })

  it('runs nothing again when there is a result, and nudges again: the first nudge may be lost', async () => {
    const { deliver, sent, runs } = createCharge()
    for (const owner of ['a', 'b']) await deliver(owner)
    expect(runs()).toBe(1)
    expect(sent).toEqual([nudge, nudge])
  })

  it('of two at once runs a tool that changes things once', async () => {
    const { deliver, runs } = createCharge()
    await Promise.all(['a', 'b'].map((owner) => deliver(owner)))
    expect(runs()).toBe(1)
  })

  it('does nothing while another holds the claim and may be alive', async () => {
    const { deliver, store, runs, sent, clock } = createCharge()
    await store.calls.claim(place, { owner: 'a', requestId: 'r', claimedAt: NOW, deadAfter: NOW + 45_000 })
    clock.advance(45_000)
    await deliver('b')
    expect([runs(), sent]).toEqual([0, []])
  })

  it.each([
    ['is run again when that does no harm', true, 1, { ok: true, value: 'paid' }],
    [
      'is not run again when it changes things',
      false,
      0,
      {
        ok: false,
        failure: {
          name: 'Interrupted',
          message: 'charge was begun and its function died, so its outcome is unknown',
        },
      },
    ],
  ])('whose claim must be dead %s', async (_, idempotent, times, end) => {
    const { deliver, store, runs, result, clock } = createCharge({ idempotent })
    await store.calls.claim(place, { owner: 'a', requestId: 'r', claimedAt: NOW, deadAfter: NOW + 45_000 })
    clock.advance(45_001)
    await deliver('b')
    expect(runs()).toBe(times)
    expect(await result()).toMatchObject(end)
  })

  it('of a cancelled run begins nothing', async () => {
    const { deliver, store, runs } = createCharge()
    await store.calls.close(address, EXPIRES_AT)
    expect(await deliver('a')).toMatchObject({ isStillRunning: false })
    expect(runs()).toBe(0)
  })

  it('says of an input that does not fit how to correct it', async () => {
    const { deliver, result, runs } = createCharge()
    await deliver('a', messageOf({ input: { cents: 'many' } }))
    expect(await result()).toMatchObject({ ok: false, failure: { name: 'InvalidInput' } })
    expect(runs()).toBe(0)
  })

  it.each([
    ['timed out', () => undefined],
    ['was cancelled', (close: () => Promise<void>) => close()],
  ])('whose code goes on after it %s says so: its process is not to be used again', async (_, meanwhile) => {
    const { deliver, store, clock } = createCharge({ code: () => new Promise(() => undefined) })
    const delivered = deliver('a')
    await settled()
    await meanwhile(() => store.calls.close(address, EXPIRES_AT))
    for (let second = 0; second < 31; second += 1) {
      clock.advance(1_000)
      await settled()
    }
    expect(await delivered).toMatchObject({ isStillRunning: true })
  })

  it('writes its result again and again while the table is away: nobody else can say what happened', async () => {
    const charge = createCharge()
    const { ports, store, clock } = charge
    let failures = 3
    const record: typeof store.calls.record = async (...given) => {
      if (failures-- > 0) throw new Error('The table is away')
      return store.calls.record(...given)
    }
    const away = { ...ports, store: { ...store, calls: { ...store.calls, record } } }
    const definition = tool({
      name: 'charge',
      description: 'd',
      input: z.object({}),
      output: z.unknown(),
    }).run(() => 'paid')
    const delivered = runCall(away, definition, invocationOf('a'), messageOf(), {})
    for (let tries = 0; tries < 5; tries += 1) {
      await settled()
      clock.advance(200)
    }
    await delivered
    expect(await charge.result()).toMatchObject({ ok: true, value: 'paid' })
  })
})

describe('N42 a list that a call saves', () => {
  it('is there for the calls after it, and expires with the run', async () => {
    const stage = createStage()
    const Orders = z.object({ orders: listArtifact(z.string()) })
    const exportOrders = tool({
      name: 'export_orders',
      description: 'd',
      input: z.object({}),
      output: Orders,
      readOnly: true,
    }).run(async (_, { artifacts }) => ({ orders: await artifacts.saveList(['A-1', 'A-2']) }))
    await runCall(stage.ports, exportOrders, invocationOf('a'), messageOf({ tool: 'export_orders' }), {})
    const { result } = (await stage.store.calls.read(address)).entry(0)
    const output = Orders.parse(result?.ok && result.value)
    const countOrders = tool({
      name: 'count_orders',
      description: 'd',
      input: Orders,
      output: z.array(z.string()),
      readOnly: true,
    }).run(async ({ orders }, { artifacts }) => {
      const numbers: string[] = []
      for await (const orderNumber of artifacts.readList(orders)) numbers.push(orderNumber)
      return numbers
    })
    const message = messageOf({ tool: 'count_orders', turn: 2, input: output })
    await runCall(stage.ports, countOrders, invocationOf('b'), message, {})
    const read = (await stage.store.calls.read(turnCall('run', 2, 0))).entry(0).result
    expect(read).toMatchObject({ ok: true, value: ['A-1', 'A-2'] })
    expect(await stage.store.artifacts.read(output.orders.artifact)).toMatchObject({
      size: 2,
      expiresAt: EXPIRES_AT,
    })
  })
})
