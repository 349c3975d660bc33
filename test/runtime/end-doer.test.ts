import { Throttled, tool } from 'turnwise'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { cancelRun } from '../../src/runtime/cancel-run.ts'
import { endDoer } from '../../src/runtime/end-doer.ts'
import { finishRun } from '../../src/runtime/finish-run.ts'
import type { ToolStepMessage } from '../../src/runtime/messages.ts'
import type { Ports } from '../../src/runtime/ports.ts'
import { resume } from '../../src/runtime/resume.ts'
import { childRunId } from '../../src/runtime/run-ids.ts'
import { runStep } from '../../src/runtime/run-step.ts'
import { submitStep } from '../../src/runtime/submit-step.ts'
import { stepCall } from '../../src/store/keys.ts'
import { claimOf, NOW, newRun } from '../store/records.ts'
import { createStage, orderAgent, readRun, settled } from './stage.ts'

const childOf = (name: string): string => childRunId('doer', `S#0001#${name}/1`)
const failed = { kind: 'failed', error: { name: 'NotFound', message: 'step "other": nothing' } } as const

let stage: ReturnType<typeof createStage>
beforeEach(async () => {
  stage = createStage()
  await stage.store.runs.create(newRun('doer', { kind: 'doer', agent: 'report' }))
})

const ask = (name: string) =>
  submitStep(stage.ports, orderAgent, {
    kind: 'step',
    runId: 'doer',
    agent: 'report',
    target: 'turn-order_agent',
    taskToken: name,
    attempt: 1,
    step: { number: 1, name },
    input: { question: 'why' },
  })
const statusOf = async (name: string) => (await readRun(stage.ports, childOf(name))).status

describe('a part of a doer that failed', () => {
  it('has what agents still do for its steps cancelled, and no other', async () => {
    for (const name of ['one', 'two', 'other']) await ask(name)
    await resume(stage.ports, {
      kind: 'give-up',
      runId: 'doer',
      steps: [
        { number: 1, name: 'one' },
        { number: 1, name: 'two' },
      ],
      indexes: [],
    })
    expect(await Promise.all(['one', 'two', 'other'].map(statusOf))).toEqual([
      'cancelled',
      'cancelled',
      'running',
    ])
  })

  it('has that of its own item cancelled alone', async () => {
    await ask('one')
    await resume(stage.ports, {
      kind: 'give-up',
      runId: 'doer',
      steps: [{ number: 1, name: 'one' }],
      indexes: [3],
    })
    expect(await statusOf('one')).toBe('running')
  })
})

describe('a call of a part that its doer gave up', () => {
  const held = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const fails: Error[] = []
  const hold = tool({
    name: 'hold',
    description: 'Holds a shelf until it is told to stop',
    input: z.object({}),
    output: z.string(),
  }).run(async (_, { signal }) => {
    signals.push(signal)
    const failure = fails.pop()
    if (failure) throw failure
    await Promise.race([held.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))])
    return 'held'
  })
  const call = (indexes: number[] = [], retry?: ToolStepMessage['retry'], ports = stage.ports) =>
    runStep(
      ports,
      hold,
      { owner: 'owner', requestId: 'request', deadline: NOW + 900_000 },
      {
        kind: 'step',
        runId: 'doer',
        agent: 'report',
        step: { number: 1, name: 'hold', indexes },
        input: {},
        retry,
      },
      {},
    )
  const giveUp = (indexes: number[] = []) =>
    resume(stage.ports, { kind: 'give-up', runId: 'doer', steps: [{ number: 1, name: 'hold' }], indexes })
  const recorded = async () => (await stage.store.turns.history('doer'))?.steps
  beforeEach(() => {
    signals.length = 0
  })

  it('is not begun when its message comes only then', async () => {
    await giveUp()
    await expect(call()).rejects.toMatchObject({
      name: 'RunIsOver',
      message: 'The run doer is over, or went on without "hold", so nothing more is begun for it',
    })
    expect([signals, await recorded()]).toEqual([[], []])
  })

  it.each<[string, number[]]>([
    ['itself', []],
    ['in a map within the part', [4]],
  ])('%s is told to stop when it runs, and what came of it is on record as late', async (_, indexes) => {
    const running = expect(call(indexes)).rejects.toMatchObject({ name: 'RunIsOver' })
    await settled()
    await giveUp()
    stage.clock.advance(5_000)
    await settled()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    stage.clock.advance(3_000)
    await running
    expect(await recorded()).toMatchObject([
      { closed: true, entry: { result: undefined, late: { ok: false, failure: 'Interrupted' } } },
    ])
  })

  const once = { on: ['Throttled' as const] }
  /** The ports, with something that happens just after a claim. */
  const afterClaim = (happens: () => Promise<unknown>): Ports => {
    const claim: typeof stage.store.calls.claim = async (...given) => {
      const claimed = await stage.store.calls.claim(...given)
      await happens()
      return claimed
    }
    return { ...stage.ports, store: { ...stage.store, calls: { ...stage.store.calls, claim } } }
  }
  /** The same just after the look at the run that follows the claim. */
  const afterLook = (happens: () => Promise<unknown>): Ports => {
    let looks = 0
    const read: typeof stage.store.runs.read = async (runId) => {
      const seen = await stage.store.runs.read(runId)
      looks += 1
      if (looks === 2) await happens()
      return seen
    }
    return { ...stage.ports, store: { ...stage.store, runs: { ...stage.store.runs, read } } }
  }

  it.each<[string, () => Promise<Ports>]>([
    ['was given up while it was on its way', async () => giveUp().then(() => stage.ports)],
    ['was given up when it had claimed', async () => afterClaim(giveUp)],
    ['was given up when it had looked at its run', async () => afterLook(giveUp)],
    [
      'was cancelled when it had looked at its run',
      async () => afterLook(() => cancelRun(stage.ports, 'doer')),
    ],
  ])('is not begun a second time when it %s', async (_, happening) => {
    fails.push(new Throttled('later'))
    await expect(call([4], { ...once, count: 0 })).rejects.toThrow('later')
    const ports = await happening()
    await expect(call([4], { ...once, count: 1 }, ports)).rejects.toMatchObject({ name: 'RunIsOver' })
    expect(signals).toHaveLength(1)
  })

  it('is told to stop in its second try, too', async () => {
    fails.push(new Throttled('later'))
    await expect(call([4], { ...once, count: 0 })).rejects.toThrow('later')
    const running = expect(call([4], { ...once, count: 1 })).rejects.toMatchObject({ name: 'RunIsOver' })
    await settled()
    await giveUp()
    stage.clock.advance(5_000)
    await settled()
    expect(signals[1]?.aborted).toBe(true)
    stage.clock.advance(3_000)
    await running
  })

  it('goes on where another item was given up', async () => {
    const running = call([3])
    await settled()
    await giveUp([4])
    stage.clock.advance(5_000)
    await settled()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    held.resolve()
    expect(await running).toEqual({ kind: 'output', output: 'held' })
  })
})

describe('the end of a doer', () => {
  it('that failed cancels what agents still do for it, on record', async () => {
    await ask('done')
    await finishRun(
      stage.ports,
      await readRun(stage.ports, childOf('done')),
      { status: 'completed', output: {} },
      'owner',
    )
    await ask('open')
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: failed })
    expect([await statusOf('done'), await statusOf('open')]).toEqual(['completed', 'cancelled'])
    expect(await readRun(stage.ports, 'doer')).toMatchObject({
      status: 'failed',
      error: failed.error,
      told: true,
    })
    const steps = (await stage.store.turns.history('doer'))?.steps
    expect(steps?.find(({ name }) => name === 'open')?.entry.result).toMatchObject({
      ok: false,
      failure: { name: 'Interrupted' },
    })
  })

  it('that failed closes its questions and the calls that run', async () => {
    await resume(stage.ports, {
      kind: 'ask',
      runId: 'doer',
      step: { number: 2, name: 'may we' },
      question: 'May we?',
      askedAt: new Date(NOW).toISOString(),
      deadlineSeconds: 60,
      taskToken: 'token',
    })
    const place = { ...stepCall('doer', { number: 3, name: 'hold' }), expected: 1, expiresAt: 1 }
    const step = { number: 3, name: 'hold', callable: 'hold', input: {} }
    await stage.store.calls.claim({ ...place, step }, claimOf('a'))
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: failed })
    const steps = (await stage.store.turns.history('doer'))?.steps
    expect(steps?.map(({ name, closed }) => [name, closed])).toEqual([
      ['may we', true],
      ['hold', true],
    ])
  })

  it('that failed is told again without harm, and begins nothing more', async () => {
    await ask('open')
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: failed })
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: { kind: 'completed', output: 1 } })
    await ask('late')
    expect(await readRun(stage.ports, 'doer')).toMatchObject({ status: 'failed' })
    expect(await statusOf('late')).toBe('cancelled')
  })

  it('of an error that is not ours keeps its name in the message', async () => {
    const error = { name: 'States.Runtime', message: 'too many events' }
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: { kind: 'failed', error } })
    expect(await readRun(stage.ports, 'doer')).toMatchObject({
      error: { name: 'Internal', message: 'States.Runtime: too many events' },
    })
  })
})

describe('the output of a doer that cannot be put together', () => {
  const output = { note: { 'turnwise:value': ['S#0001#list orders', 0, 'note'] } }
  const error = {
    name: 'Internal',
    message: 'The record of S#0001#list orders has no result, to which a value points',
  }

  it('is the failure of its run, which would have no other end', async () => {
    await endDoer(stage.ports, { kind: 'end', runId: 'doer', outcome: { kind: 'completed', output } })
    expect(await readRun(stage.ports, 'doer')).toMatchObject({ status: 'failed', error })
  })

  it('is that, too, where the sweep learns of it', async () => {
    const describeAsEnded = async () => ({ kind: 'succeeded' as const, output })
    const ports = { ...stage.ports, machines: { ...stage.ports.machines, describe: describeAsEnded } }
    stage.clock.advance(55_000)
    await resume(ports, { kind: 'sweep' })
    expect(await readRun(stage.ports, 'doer')).toMatchObject({ status: 'failed', error })
  })
})
