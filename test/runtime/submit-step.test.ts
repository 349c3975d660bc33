import { doer } from 'turnwise'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { cancelRun } from '../../src/runtime/cancel-run.ts'
import { finishRun } from '../../src/runtime/finish-run.ts'
import type { AgentStepMessage } from '../../src/runtime/messages.ts'
import { resume } from '../../src/runtime/resume.ts'
import { childRunId } from '../../src/runtime/run-ids.ts'
import { submitStep } from '../../src/runtime/submit-step.ts'
import { NOW, newRun } from '../store/records.ts'
import { createStage, orderAgent, readRun } from './stage.ts'

const messageOf = (taskToken: string, given: Partial<AgentStepMessage> = {}): AgentStepMessage => ({
  kind: 'step',
  runId: 'doer',
  agent: 'report',
  target: 'turn-order_agent',
  taskToken,
  attempt: 1,
  step: { number: 2, name: 'ask' },
  input: { question: 'why' },
  ...given,
})
const died = () => Promise.reject(new Error('The process died'))
const childOf = (attempt: number): string => childRunId('doer', `S#0002#ask/${attempt}`)
const nudgeOf = (runId: string) => ({ target: 'turn-order_agent', message: { kind: 'nudge', runId } })

let stage: ReturnType<typeof createStage>
const submit = (taskToken: string, given: Partial<AgentStepMessage> = {}) =>
  submitStep(stage.ports, orderAgent, messageOf(taskToken, given))
const child = (attempt = 1) => readRun(stage.ports, childOf(attempt))

beforeEach(async () => {
  stage = createStage()
  await stage.store.runs.create(newRun('doer', { kind: 'doer', agent: 'report' }))
})

describe('a step that a thinker does', () => {
  it('is noted in the doer’s record, and a run of its own that keeps the token and is set going', async () => {
    await submit('a')
    expect(await child()).toMatchObject({
      kind: 'thinker',
      agent: 'order_agent',
      status: 'running',
      input: { question: 'why', tone: 'kind' },
      tokens: new Set(['a']),
      waiter: { runId: 'doer', sk: 'S#0002#ask', entry: 0, expected: 1 },
      expiresAt: newRun('doer').expiresAt,
    })
    const history = await stage.store.turns.history('doer')
    expect(history?.steps).toEqual([
      {
        number: 2,
        name: 'ask',
        indexes: [],
        callable: 'order_agent',
        input: { question: 'why' },
        startedAt: NOW,
        attempts: 1,
        entry: {
          result: undefined,
          claim: undefined,
          child: { runId: childOf(1), kind: 'thinker', notedAt: NOW },
        },
        closed: false,
      },
    ])
    expect(stage.sent).toEqual([nudgeOf(childOf(1))])
  })

  it('asked again with the same token is the same run, nudged again', async () => {
    await submit('a')
    await submit('a')
    expect((await child()).tokens).toEqual(new Set(['a']))
    expect(stage.sent).toEqual([nudgeOf(childOf(1)), nudgeOf(childOf(1))])
  })

  it('asked again with another token is the same run, which keeps both', async () => {
    await submit('a')
    await submit('b')
    expect((await child()).tokens).toEqual(new Set(['a', 'b']))
  })

  it('asked twice at once with two tokens is one run, which keeps both', async () => {
    await Promise.all([submit('a'), submit('b')])
    expect((await child()).tokens).toEqual(new Set(['a', 'b']))
    expect(await stage.store.runs.read(childOf(2))).toBeUndefined()
  })

  it('asked again after its run ended, and before that was told, is told at once', async () => {
    await submit('a')
    await stage.store.runs.end(await child(), { status: 'completed', output: { text: 'hi' } }, NOW, 'owner')
    await submit('b')
    const answer = { output: { text: 'hi' } }
    expect(stage.machines.answered).toEqual([
      { token: 'a', answer },
      { token: 'b', answer },
    ])
    expect((await child()).told).toBe(true)
  })

  it('asked again after its answer was delivered is answered with the same, and does nothing twice', async () => {
    await submit('a')
    await finishRun(stage.ports, await child(), { status: 'completed', output: 1 }, 'owner')
    await submit('b')
    expect(stage.machines.answered).toContainEqual({ token: 'b', answer: { output: 1 } })
    expect((await child()).told).toBe(true)
    expect(await stage.store.runs.read(childOf(2))).toBeUndefined()
  })

  it('asked late with a token that was answered is told again, and is no new attempt', async () => {
    await submit('a')
    await finishRun(stage.ports, await child(), { status: 'completed', output: 1 }, 'owner')
    await submit('a')
    expect(await stage.store.runs.read(childOf(2))).toBeUndefined()
  })

  it('with an input that does not fit fails, and the machine learns why', async () => {
    await submit('a', { input: { question: '' } })
    expect(await child()).toMatchObject({ status: 'failed', error: { name: 'InvalidInput' } })
    expect(stage.machines.answered).toEqual([
      {
        token: 'a',
        answer: {
          failure: {
            name: 'InvalidInput',
            message:
              'The input of order_agent is wrong:\n✖ Too small: expected string to have >=1 characters\n  → at question',
          },
        },
      },
    ])
    expect(stage.sent).toEqual([])
  })

  it('fails at once with the reason where what it is handed cannot be found', async () => {
    await submit('a', { input: { question: { 'turnwise:value': ['S#0001#list orders', 0, 'note'] } } })
    const failure = {
      name: 'Internal',
      message: 'The record of S#0001#list orders has no result, to which a value points',
    }
    expect(await child()).toMatchObject({ status: 'failed', error: failure })
    expect(stage.machines.answered).toEqual([{ token: 'a', answer: { failure } }])
  })

  it('of a run that is not there is nothing', async () => {
    await submit('a', { runId: 'nobody' })
    expect([stage.sent, stage.machines.answered]).toEqual([[], []])
  })
})

describe('a step of a doer that was cancelled', () => {
  const interrupted = {
    token: 'a',
    answer: { failure: { name: 'Interrupted', message: 'order_agent was cancelled' } },
  }

  it('is a run that is cancelled as it is made', async () => {
    await stage.store.runs.end(await readRun(stage.ports, 'doer'), { status: 'cancelled' }, NOW, 'owner')
    await submit('a')
    expect(await child()).toMatchObject({ status: 'cancelled', told: true })
    expect([stage.sent, stage.machines.answered]).toEqual([[], [interrupted]])
  })

  it('between the look at the doer and the making of the run, whoever comes later sees the other', async () => {
    const { runs } = stage.store
    // The cancel comes when the child has been noted and is not there yet.
    const create: typeof runs.create = async (run) => {
      await cancelRun(stage.ports, 'doer')
      return runs.create(run)
    }
    const ports = { ...stage.ports, store: { ...stage.store, runs: { ...runs, create } } }
    await submitStep(ports, orderAgent, messageOf('a'))
    expect(await child()).toMatchObject({ status: 'cancelled', told: true })
    expect([stage.sent, stage.machines.answered]).toEqual([[], [interrupted]])
  })

  it('has a run that is cancelled where whoever noted it died before it made it', async () => {
    const { runs } = stage.store
    const ports = { ...stage.ports, store: { ...stage.store, runs: { ...runs, create: died } } }
    await expect(submitStep(ports, orderAgent, messageOf('a'))).rejects.toThrow('The process died')
    await cancelRun(stage.ports, 'doer')
    expect(await child()).toMatchObject({ status: 'cancelled', kind: 'thinker', agent: 'order_agent' })
    await submit('a')
    expect([stage.sent, stage.machines.answered]).toEqual([[], [interrupted]])
  })

  it('takes the run of its step with it', async () => {
    await submit('a')
    await cancelRun(stage.ports, 'doer')
    expect((await child()).status).toBe('cancelled')
    expect(stage.machines.stopped).toEqual(['doer'])
  })
})

describe('a step that another doer does', () => {
  const inner = doer({
    name: 'inner',
    description: 'd',
    input: z.object({ n: z.number().max(9).default(1) }),
    output: z.unknown(),
  }).plan((_d, input) => input.n)
  const submitInner = (input: unknown) =>
    submitStep(stage.ports, inner, messageOf('a', { target: 'doer-inner', input }))

  it('is a run of its own, whose machine is started with what its schema makes of the input', async () => {
    await submitInner({})
    expect(await child()).toMatchObject({
      kind: 'doer',
      agent: 'inner',
      input: { n: 1 },
      tokens: new Set(['a']),
    })
    expect(stage.machines.started).toEqual([
      { doer: 'inner', runId: childOf(1), input: { runId: childOf(1), input: { n: 1 } } },
    ])
  })

  it('fails at once where its schema refuses the input', async () => {
    await submitInner({ n: 10 })
    expect(await child()).toMatchObject({ status: 'failed', error: { name: 'InvalidInput' } })
    expect(stage.machines.started).toEqual([])
  })
})

describe('a step of a part that its doer gave up', () => {
  const giveUp = {
    kind: 'give-up',
    runId: 'doer',
    steps: [{ number: 2, name: 'ask' }],
    indexes: [],
  } as const

  it('is not begun when its message comes only then', async () => {
    await resume(stage.ports, { ...giveUp, steps: [...giveUp.steps], indexes: [] })
    await submit('a')
    expect(await stage.store.runs.read(childOf(1))).toBeUndefined()
  })

  it('is cancelled when it was given up between the note and the making of its run', async () => {
    const { runs } = stage.store
    const create: typeof runs.create = async (run) => {
      await resume(stage.ports, { ...giveUp, steps: [...giveUp.steps], indexes: [] })
      return runs.create(run)
    }
    const ports = { ...stage.ports, store: { ...stage.store, runs: { ...runs, create } } }
    await submitStep(ports, orderAgent, messageOf('a'))
    expect((await child()).status).toBe('cancelled')
  })
})

describe('a step that is tried again after its answer was told', () => {
  it('is another run, and the record has the last of them', async () => {
    await submit('a', { retry: { on: ['Throttled'], count: 0 } })
    await finishRun(
      stage.ports,
      await child(),
      { status: 'failed', error: { name: 'Throttled', message: 'later' } },
      'owner',
    )
    stage.clock.advance(1_000)
    await submit('b', { retry: { on: ['Throttled'], count: 1 } })
    await finishRun(stage.ports, await child(2), { status: 'completed', output: { text: 'done' } }, 'owner')
    const [step] = (await stage.store.turns.history('doer'))?.steps ?? []
    expect(step).toMatchObject({
      startedAt: NOW,
      attempts: 2,
      entry: { child: { runId: childOf(2) }, result: { ok: true, value: { text: 'done' } } },
    })
  })
})
