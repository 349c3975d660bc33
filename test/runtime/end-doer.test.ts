import { beforeEach, describe, expect, it } from 'vitest'
import { endDoer } from '../../src/runtime/end-doer.ts'
import { finishRun } from '../../src/runtime/finish-run.ts'
import { resume } from '../../src/runtime/resume.ts'
import { childRunId } from '../../src/runtime/run-ids.ts'
import { submitStep } from '../../src/runtime/submit-step.ts'
import { newRun } from '../store/records.ts'
import { createStage, orderAgent, readRun } from './stage.ts'

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
      kind: 'stop',
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
      kind: 'stop',
      runId: 'doer',
      steps: [{ number: 1, name: 'one' }],
      indexes: [3],
    })
    expect(await statusOf('one')).toBe('running')
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
