import { NotFound, Throttled, tool } from 'turnwise'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { giveUpSteps } from '../../src/runtime/cancel-run.ts'
import type { ToolStepMessage } from '../../src/runtime/messages.ts'
import { runStep } from '../../src/runtime/run-step.ts'
import { stepCall } from '../../src/store/keys.ts'
import { claimOf, NOW, newRun } from '../store/records.ts'
import { createStage, settled } from './stage.ts'

const step = { number: 2, name: 'charge' }
const messageOf = (count: number): ToolStepMessage => ({
  kind: 'step',
  runId: 'doer',
  agent: 'report',
  step,
  input: {},
  retry: { on: ['Throttled'], count },
})

let stage: ReturnType<typeof createStage>
let keys: string[]
beforeEach(async () => {
  stage = createStage()
  keys = []
  await stage.store.runs.create(newRun('doer', { kind: 'doer', agent: 'report' }))
})

/** A tool whose runs end one after the other as `ends` says, asked for by the machine. */
function chargeThat(...ends: readonly (Error | 'paid')[]) {
  const charge = tool({
    name: 'charge',
    description: 'Charges',
    input: z.object({}),
    output: z.string(),
  }).run((_, { idempotencyKey }) => {
    const end = ends[keys.length] ?? 'paid'
    keys.push(idempotencyKey)
    if (end instanceof Error) throw end
    return end
  })
  let deliveries = 0
  return (message: ToolStepMessage) => {
    deliveries += 1
    const owner = `delivery ${deliveries}`
    return runStep(stage.ports, charge, { owner, requestId: owner, deadline: NOW + 35_000 }, message, {})
  }
}
const recorded = async () => (await stage.store.turns.history('doer'))?.steps[0]

describe('N31 a step that is tried again', () => {
  it('runs anew when the machine asks again after a failure that may be repeated, under the same idempotency key', async () => {
    const deliver = chargeThat(new Throttled('later'), new Throttled('later'), 'paid')
    await expect(deliver(messageOf(0))).rejects.toThrow('later')
    await expect(deliver(messageOf(1))).rejects.toThrow('later')
    expect(await deliver(messageOf(2))).toEqual({ kind: 'output', output: 'paid' })
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(await recorded()).toMatchObject({
      attempts: 3,
      startedAt: NOW,
      entry: { result: { value: 'paid' } },
    })
  })

  it('answers a double of an earlier delivery with what that one came to', async () => {
    const deliver = chargeThat(new Throttled('later'))
    await expect(deliver(messageOf(0))).rejects.toThrow('later')
    await expect(deliver(messageOf(0))).rejects.toThrow('later')
    expect(keys).toHaveLength(1)
  })

  it('runs once for two deliveries of the same try at once', async () => {
    const deliver = chargeThat(new Throttled('later'))
    await expect(deliver(messageOf(0))).rejects.toThrow('later')
    const both = await Promise.allSettled([deliver(messageOf(1)), deliver(messageOf(1))])
    expect(keys).toHaveLength(2)
    expect(both.map(({ status }) => status).sort()).toContain('fulfilled')
  })

  it('does not run again after another failure', async () => {
    const deliver = chargeThat(new NotFound('no card'))
    await expect(deliver(messageOf(0))).rejects.toThrow('no card')
    await expect(deliver(messageOf(1))).rejects.toThrow('no card')
    expect(keys).toHaveLength(1)
  })

  it('answers that its time was over, of code that goes on, when it is asked again, and runs anew only after that', async () => {
    let runs = 0
    const slow = tool({
      name: 'slow',
      description: 'Never ends',
      readOnly: true,
      timeoutSeconds: 1,
      input: z.object({}),
      output: z.string(),
    }).run(() => {
      runs += 1
      return new Promise(() => undefined)
    })
    const deliver = async (count: number) => {
      const owner = `delivery ${count}`
      const invocation = { owner, requestId: owner, deadline: stage.clock.now() + 35_000 }
      const message = { ...messageOf(count), retry: { on: ['Timeout' as const], count } }
      const delivered = runStep(stage.ports, slow, invocation, message, {})
      void delivered.catch(() => undefined)
      for (let second = 0; second < 10; second += 1) {
        await settled()
        stage.clock.advance(1_000)
      }
      return delivered
    }
    expect([await deliver(0), runs]).toEqual([{ kind: 'runaway' }, 1])
    await expect(deliver(1)).rejects.toMatchObject({ name: 'Timeout' })
    expect(runs).toBe(1)
    expect([await deliver(2), runs]).toEqual([{ kind: 'runaway' }, 2])
    await expect(deliver(3)).rejects.toMatchObject({ name: 'Timeout' })
    expect([runs, (await recorded())?.attempts]).toEqual([2, 2])
  })

  it('does not run again after it succeeded', async () => {
    const deliver = chargeThat('paid')
    expect(await deliver(messageOf(0))).toEqual({ kind: 'output', output: 'paid' })
    expect(await deliver(messageOf(1))).toEqual({ kind: 'output', output: 'paid' })
    expect(keys).toHaveLength(1)
  })
})

describe('N31 a step that is handed what cannot be found', () => {
  it('fails with the reason, which is on record, and runs nothing', async () => {
    const deliver = chargeThat('paid')
    const message = 'The record of S#0001#list orders has no result, to which a value points'
    const input = { note: { 'turnwise:value': ['S#0001#list orders', 0, 'note'] } }
    await expect(deliver({ ...messageOf(0), input })).rejects.toMatchObject({ name: 'Internal', message })
    expect(await recorded()).toMatchObject({
      input,
      entry: { result: { ok: false, failure: { name: 'Internal', message } } },
    })
    expect(keys).toEqual([])
  })

  it('waits where an earlier delivery has claimed it, which may have found it', async () => {
    const deliver = chargeThat('paid')
    const step = { number: 2, name: 'charge', callable: 'charge', input: {} }
    const place = { ...stepCall('doer', step), expected: 1, expiresAt: 1, step }
    await stage.store.calls.claim(place, claimOf('an earlier delivery'))
    const input = { note: { 'turnwise:value': ['S#0001#list orders', 0, 'note'] } }
    await expect(deliver({ ...messageOf(0), input })).rejects.toMatchObject({ name: 'CallInProgress' })
    expect((await recorded())?.entry.result).toBeUndefined()
  })
})

describe('N31 a step that changes nothing and was given up while it ran', () => {
  it('is on record with what came of it', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks',
      input: z.object({}),
      output: z.string(),
      readOnly: true,
    }).run(async () => {
      await giveUpSteps(stage.ports, { kind: 'give-up', runId: 'doer', steps: [step], indexes: [] })
      return 'seen'
    })
    const owner = { owner: 'owner', requestId: 'request', deadline: NOW + 35_000 }
    const message: ToolStepMessage = { ...messageOf(0), input: {} }
    await expect(runStep(stage.ports, look, owner, message, {})).rejects.toMatchObject({ name: 'RunIsOver' })
    expect(await recorded()).toMatchObject({
      ...step,
      callable: 'look',
      startedAt: NOW,
      closed: true,
      entry: { result: undefined, late: { ok: true } },
    })
  })
})
