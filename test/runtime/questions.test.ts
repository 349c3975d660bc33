import { doer } from 'turnwise'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { AskMessage } from '../../src/runtime/messages.ts'
import { noteProgress } from '../../src/runtime/note-progress.ts'
import { answerQuestion } from '../../src/runtime/questions.ts'
import { resume } from '../../src/runtime/resume.ts'
import { NOW, newRun } from '../store/records.ts'
import { createStage } from './stage.ts'

const refund = doer({
  name: 'refund',
  description: 'd',
  input: z.object({}),
  output: z.unknown(),
}).plan((d) => {
  d.emit('tell', 'asking')
  return d.ask('may we', {
    text: 'May we refund it?',
    answer: z.object({ yes: z.boolean(), note: z.string().default('') }),
    deadlineSeconds: 3_600,
  })
})
const step = { number: 2, name: 'may we' }
const messageOf = (taskToken: string): AskMessage => ({
  kind: 'ask',
  runId: 'run',
  step,
  question: 'May we refund it?',
  askedAt: new Date(NOW).toISOString(),
  deadlineSeconds: 3_600,
  taskToken,
})
const answered = { kind: 'answered', runId: 'run', step } as const

let stage: ReturnType<typeof createStage>
const ask = (token: string) => resume(stage.ports, messageOf(token))
const answer = (value: unknown, name = 'may we') =>
  answerQuestion(stage.ports, refund, { runId: 'run', step: name }, value)
const recorded = async () => (await stage.store.turns.history('run'))?.steps[0]
beforeEach(async () => {
  stage = createStage()
  await stage.store.runs.create(newRun('run', { kind: 'doer', agent: 'refund' }))
})

describe('N31 a doer asks a person', () => {
  it('has the question on record until it is answered, then the answer, which its machine is told', async () => {
    await ask('a')
    expect(await recorded()).toMatchObject({
      ...step,
      callable: 'ask',
      input: 'May we refund it?',
      startedAt: NOW,
      entry: { result: undefined, question: { deadline: NOW + 3_600_000 } },
    })
    stage.clock.advance(60_000)
    await answer({ yes: true })
    const value = { yes: true, note: '' }
    expect(await recorded()).toMatchObject({ entry: { result: { ok: true, value, endedAt: NOW + 60_000 } } })
    expect(stage.sent).toEqual([{ target: 'resume', message: answered }])
    await resume(stage.ports, answered)
    expect(stage.machines.answered).toEqual([{ token: 'a', answer: { output: value } }])
  })

  it('has the sweep tell the answer where the event was lost, or whoever answered died before it', async () => {
    await ask('a')
    stage.sent.length = 0
    const died = { ...stage.ports, send: () => Promise.reject(new Error('The process died')) }
    await expect(
      answerQuestion(died, refund, { runId: 'run', step: 'may we' }, { yes: true }),
    ).rejects.toThrow('The process died')
    await resume(stage.ports, { kind: 'sweep' })
    expect(stage.machines.answered).toEqual([]) // it is not due yet
    stage.clock.advance(55_000)
    await resume(stage.ports, { kind: 'sweep' })
    expect(stage.machines.answered).toEqual([{ token: 'a', answer: { output: { yes: true, note: '' } } }])
    stage.clock.advance(300_000)
    await resume(stage.ports, { kind: 'sweep' })
    expect(stage.machines.answered).toHaveLength(1)
  })

  it('has nothing told of an answer that is not on record yet, and does not forget it', async () => {
    await ask('a')
    const { calls } = stage.store
    // The sweep comes between the note and the record, and whoever answered dies after that.
    const record: typeof calls.record = async (...given) => {
      stage.clock.advance(55_000)
      await resume(stage.ports, { kind: 'sweep' })
      await calls.record(...given)
      throw new Error('The process died')
    }
    const ports = { ...stage.ports, store: { ...stage.store, calls: { ...calls, record } } }
    await expect(
      answerQuestion(ports, refund, { runId: 'run', step: 'may we' }, { yes: true }),
    ).rejects.toThrow('The process died')
    expect(stage.machines.answered).toEqual([])
    stage.clock.advance(300_000)
    await resume(stage.ports, { kind: 'sweep' })
    expect(stage.machines.answered).toHaveLength(1)
  })

  it('forgets an answer that was noted for what its doer gave up, and takes none', async () => {
    await ask('a')
    await stage.store.runs.noteAnswer({ id: 'run' }, 'S#0002#may we', NOW)
    await resume(stage.ports, { kind: 'give-up', runId: 'run', steps: [step], indexes: [] })
    await resume(stage.ports, answered)
    expect(await stage.store.runs.read('run')).toMatchObject({ untold: new Set() })
    await ask('b')
    expect((await recorded())?.entry.question?.tokens).toEqual(new Set(['a']))
    expect(stage.machines.answered).toEqual([])
  })

  it('takes no answer for a run that ends while it is given', async () => {
    await ask('a')
    const { runs } = stage.store
    const noteAnswer: typeof runs.noteAnswer = async (...given) => {
      const run = await runs.read('run')
      if (run) await runs.end(run, { status: 'cancelled' }, NOW, 'owner')
      return runs.noteAnswer(...given)
    }
    const ports = { ...stage.ports, store: { ...stage.store, runs: { ...runs, noteAnswer } } }
    await expect(
      answerQuestion(ports, refund, { runId: 'run', step: 'may we' }, { yes: true }),
    ).rejects.toMatchObject({ name: 'Interrupted' })
    expect((await recorded())?.entry.result).toBeUndefined()
  })

  it('keeps each token that it was asked with, and not another deadline', async () => {
    await ask('a')
    stage.clock.advance(1_000)
    await ask('b')
    expect((await recorded())?.entry.question).toEqual({
      askedAt: NOW,
      deadline: NOW + 3_600_000,
      tokens: new Set(['a', 'b']),
    })
  })

  it('tells a token at once that comes after the answer', async () => {
    await ask('a')
    await answer({ yes: false })
    await ask('b')
    expect(stage.machines.answered).toContainEqual({
      token: 'b',
      answer: { output: { yes: false, note: '' } },
    })
  })

  it('takes the same answer again, and no other after it', async () => {
    await ask('a')
    await answer({ yes: true })
    await answer({ yes: true })
    await expect(answer({ yes: false })).rejects.toThrow(
      'Another answer was given before: {"yes":true,"note":""}',
    )
    expect(stage.sent).toHaveLength(2)
  })

  it('takes the first of two answers at once', async () => {
    await ask('a')
    const both = await Promise.allSettled([answer({ yes: true }), answer({ yes: false })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it.each<[string, () => Promise<unknown>, string, string]>([
    [
      'that does not fit',
      () => answer({ yes: 'maybe' }),
      'InvalidInput',
      'The answer to "may we" does not fit',
    ],
    [
      'to what is not asked',
      () => answer({}, 'other'),
      'NotFound',
      'asks nothing under "other"; it asks "may we"',
    ],
    [
      'after the deadline',
      () => {
        stage.clock.advance(3_600_000)
        return answer({ yes: true })
      },
      'Timeout',
      '"may we" could be answered until',
    ],
    [
      'when the run is over',
      async () => {
        const run = await stage.store.runs.read('run')
        if (run) await stage.store.runs.end(run, { status: 'cancelled' }, NOW, 'owner')
        return answer({ yes: true })
      },
      'Interrupted',
      'The run run is over',
    ],
  ])('refuses an answer %s', async (_, give, name, message) => {
    await ask('a')
    await expect(give()).rejects.toMatchObject({ name, message: expect.stringContaining(message) })
    expect((await recorded())?.entry.result).toBeUndefined()
  })

  it('takes the answer under the number that the question had when it was asked, whatever was deployed since', async () => {
    const earlier = { number: 1, name: 'may we' }
    await resume(stage.ports, { ...messageOf('a'), step: earlier })
    await answer({ yes: true })
    expect(stage.sent).toEqual([{ target: 'resume', message: { ...answered, step: earlier } }])
  })

  it('takes no answer to what its doer gave up', async () => {
    await ask('a')
    await resume(stage.ports, { kind: 'give-up', runId: 'run', steps: [step], indexes: [] })
    await expect(answer({ yes: true })).rejects.toMatchObject({ name: 'Interrupted' })
  })

  it('fails a question at once that comes when its run is over', async () => {
    const run = await stage.store.runs.read('run')
    if (run) await stage.store.runs.end(run, { status: 'cancelled' }, NOW, 'owner')
    await ask('a')
    expect(stage.machines.answered).toMatchObject([
      { token: 'a', answer: { failure: { name: 'Interrupted' } } },
    ])
  })

  it('counts the deadline from when the machine began to wait', async () => {
    stage.clock.advance(3_600_000)
    await ask('a')
    await expect(answer({ yes: true })).rejects.toMatchObject({ name: 'Timeout' })
  })

  it('refuses an answer before it has asked', async () => {
    await expect(answer({ yes: true })).rejects.toThrow('The run run of refund has not asked "may we"')
  })

  it('says where it has asked instead, of an item that it has not asked for', async () => {
    for (const item of [0, 1])
      await resume(stage.ports, { ...messageOf(`token ${item}`), step: { ...step, indexes: [item] } })
    await expect(answer({ yes: true })).rejects.toThrow(
      'The run run of refund has not asked "may we"; it is asked at [0], [1]',
    )
    const third = { runId: 'run', step: 'may we', indexes: [2] }
    await expect(answerQuestion(stage.ports, refund, third, { yes: true })).rejects.toThrow(
      'has not asked "may we" at the indexes [2]; it is asked at [0], [1]',
    )
  })

  it('asks nobody for a run that is over', async () => {
    const run = await stage.store.runs.read('run')
    if (run) await stage.store.runs.end(run, { status: 'cancelled' }, NOW, 'owner')
    await ask('a')
    expect(await recorded()).toBeUndefined()
  })
})

describe('N31 a doer tells how it goes', () => {
  it('once for each place, however often it is said', async () => {
    const tell = { kind: 'emit', runId: 'run', step: { number: 1, name: 'tell' }, message: 'asking' } as const
    await noteProgress(stage.ports, tell)
    stage.clock.advance(1_000)
    await noteProgress(stage.ports, tell)
    expect(await recorded()).toMatchObject({ callable: 'emit', input: 'asking', startedAt: NOW, attempts: 1 })
  })
})
