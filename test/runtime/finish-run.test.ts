import { describe, expect, it } from 'vitest'
import { finishRun, tell } from '../../src/runtime/finish-run.ts'
import type { Run, RunEnding, Waiter } from '../../src/store/records.ts'
import type { NewRun } from '../../src/store/runs.ts'
import { NOW, newRun } from '../store/records.ts'
import { createStage, readRun } from './stage.ts'

const waiter: Waiter = { runId: 'parent', sk: 'T#000001#R', entry: 1, expected: 2, thinker: 'parent_agent' }
const completed: RunEnding = { status: 'completed', output: { text: 'hi' } }

async function begin(given: Partial<NewRun> = {}, stageGiven: Parameters<typeof createStage>[0] = {}) {
  const stage = createStage(stageGiven)
  await stage.store.runs.create(newRun('run', given))
  const read = (): Promise<Run> => readRun(stage.ports, 'run')
  const finish = async (ending: RunEnding, owner = 'owner') =>
    finishRun(stage.ports, await read(), ending, owner)
  const parentEntry = async () => (await stage.store.calls.read(waiter)).entry(1).result
  return { ...stage, read, finish, parentEntry }
}

describe('the end of a run', () => {
  it('that nobody waits for is noted as told', async () => {
    const { finish, read, sent, machines } = await begin()
    await finish(completed)
    expect(await read()).toMatchObject({ ...completed, endedAt: NOW, told: true })
    expect([sent, machines.answered]).toEqual([[], []])
  })

  it.each<[RunEnding, object]>([
    [completed, { ok: true, value: { text: 'hi' } }],
    [
      { status: 'failed', error: { name: 'NotFound', message: 'No order' } },
      { ok: false, failure: { name: 'NotFound', message: 'No order' } },
    ],
    [
      { status: 'exhausted' },
      {
        ok: false,
        failure: { name: 'ExternalService', message: 'order_agent: it took all its turns without an answer' },
      },
    ],
    [
      { status: 'cancelled' },
      { ok: false, failure: { name: 'Interrupted', message: 'order_agent was cancelled' } },
    ],
  ])('becomes the result of the call that waits: %j', async (ending, result) => {
    const { finish, clock, parentEntry } = await begin({ waiter })
    clock.advance(500)
    await finish(ending)
    expect(await parentEntry()).toEqual({ ...result, startedAt: NOW, endedAt: NOW + 500 })
  })

  it('nudges the parent with the last result that its turn waits for, and again when told again', async () => {
    const { finish, store, sent, ports, read } = await begin({ waiter })
    await finish(completed)
    expect(sent).toEqual([])
    const first = { ...waiter, entry: 0, expiresAt: 0 }
    await store.calls.record(first, { ok: true, value: 1, startedAt: NOW, endedAt: NOW }, 'a', {
      kind: 'open',
    })
    await tell(ports, await read())
    expect(sent).toEqual([{ target: 'turn-parent_agent', message: { kind: 'nudge', runId: 'parent' } }])
  })

  it('stays as it was first when another end comes later', async () => {
    const { finish, read } = await begin()
    await finish({ status: 'cancelled' }, 'first')
    await finish(completed, 'second')
    expect(await read()).toMatchObject({ status: 'cancelled', told: true })
  })

  it('is told when an earlier one was written and not told', async () => {
    const { finish, read, store, machines } = await begin({ token: 'a' })
    await store.runs.end(await read(), completed, NOW, 'dead')
    await finish({ status: 'exhausted' })
    expect(machines.answered).toEqual([{ token: 'a', answer: { output: { text: 'hi' } } }])
    expect((await read()).told).toBe(true)
  })
})

describe('the task tokens of a run', () => {
  it('are all answered, a failure as one', async () => {
    const { finish, store, machines } = await begin({ token: 'a' })
    await store.runs.addToken({ id: 'run' }, 'b', NOW)
    const failure = { name: 'NotFound', message: 'No order' } as const
    await finish({ status: 'failed', error: failure })
    expect(machines.answered).toEqual(['a', 'b'].map((token) => ({ token, answer: { failure } })))
  })

  it('are answered when the step stands in the record: its machine goes on at once', async () => {
    const { ports, read, parentEntry } = await begin({ waiter: { ...waiter, expected: 1 }, token: 'a' })
    const seen: unknown[] = []
    const answer = async () => {
      seen.push(await parentEntry())
    }
    await finishRun({ ...ports, machines: { ...ports.machines, answer } }, await read(), completed, 'owner')
    expect(seen).toEqual([{ ok: true, value: { text: 'hi' }, startedAt: NOW, endedAt: NOW }])
  })

  it('that come while the others are answered are answered, too', async () => {
    const { ports, store, read } = await begin({ token: 'a' })
    const answered: string[] = []
    const answer = async (token: string) => {
      answered.push(token)
      if (token === 'a') await store.runs.addToken({ id: 'run' }, 'b', NOW)
    }
    await finishRun({ ...ports, machines: { ...ports.machines, answer } }, await read(), completed, 'owner')
    expect(answered).toEqual(['a', 'a', 'b'])
    expect(await read()).toMatchObject({ told: true, tokens: new Set(['a', 'b']) })
  })

  it('that cannot be answered keep the run untold, so that it is tried again', async () => {
    const { ports, read } = await begin({ token: 'a' })
    const answer = () => Promise.reject(new Error('Step Functions is away'))
    const away = { ...ports, machines: { ...ports.machines, answer } }
    await expect(finishRun(away, await read(), completed, 'owner')).rejects.toThrow('is away')
    expect(await read()).toMatchObject({ status: 'completed', told: false })
  })

  it('are left to resume by a function that may not answer them', async () => {
    const { finish, read, sent, machines } = await begin({ token: 'a', waiter }, { mayTell: false })
    await finish(completed)
    expect(sent).toEqual([{ target: 'resume', message: { kind: 'tell', runId: 'run' } }])
    expect(machines.answered).toEqual([])
    expect((await read()).told).toBe(false)
  })
})
