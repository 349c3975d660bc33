import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advice, refusal } from '../support/cases/case-model.ts'
import { type CaseProject, startCaseProject } from '../support/cases/case-project.ts'

let project: CaseProject
beforeAll(async () => {
  project = await startCaseProject()
})
afterAll(() => project?.close())

describe('O21 a thinker that is the step of a doer is told to come back later', () => {
  it.each([
    ['in 2 s: within its turn', { 'retry-after': '2' }, 0, ['answer']],
    ['in 90 s: while nothing runs', { 'retry-after': '90' }, 90_000, ['wait', 'answer']],
  ])('%s', async (_, headers, waitMs, outcomes) => {
    const question = project.model.script([refusal(429, 'slow down', { headers }), advice('buy')])
    const ended = await project.run('ask', { question })
    const { turns } = await project.childOf(ended)
    const [first] = turns
    const waited = first?.waitUntil ? Date.parse(first.waitUntil) - Date.parse(String(first.endedAt)) : 0
    expect([ended.answer, turns.map(({ outcome }) => outcome), project.model.timesAsked(question)]).toEqual([
      { advice: 'buy' },
      outcomes,
      2,
    ])
    expect(Math.abs(waited - waitMs)).toBeLessThan(100)
  })

  it('in three hours: fails at once, saying when, and is not asked again', async () => {
    const headers = { 'retry-after': '10800' }
    const question = project.model.script([refusal(429, 'slow down', { headers })])
    const ended = await project.run('ask', { question })
    const message = expect.stringMatching(/LLM: 429 slow down; it asks to come back in 10800 s, at \d{4}-/)
    expect(ended).toMatchObject({
      status: 'failed',
      error: { name: 'Throttled', message },
      steps: [{ step: 'advise', status: 'failed', error: { name: 'Throttled', message } }],
    })
    expect(ended.error?.message).toMatch(/^step "advise": /)
    expect(project.model.timesAsked(question)).toBe(1)
  })
})

describe('O22 an error inside HTTP 200', () => {
  it('fails the step and the doer with what the provider said, and is nobody’s answer', async () => {
    const body = { error: { message: 'quota exceeded' }, choices: [] }
    const question = project.model.script([{ status: 200, body }])
    const ended = await project.run('ask', { question })
    const error = { name: 'ExternalService', message: 'LLM: quota exceeded' }
    expect(ended).toMatchObject({
      status: 'failed',
      error: { ...error, message: 'step "advise": LLM: quota exceeded' },
      steps: [{ step: 'advise', status: 'failed', error }],
    })
    const { turns } = await project.childOf(ended)
    expect(turns.map(({ outcome, usage, text }) => [outcome, usage, text])).toEqual(
      Array.from({ length: 5 }, () => ['wait', undefined, undefined]),
    )
  })
})

describe('O23 a tool gives 700 KB, which go to a thinker', () => {
  it('where they are too long for the model it is asked once, and the doer goes on from a failure of its own kind', async () => {
    const tooLong = refusal(400, 'Please shorten.', { code: 'context_length_exceeded' })
    const question = project.model.script([tooLong], 'x'.repeat(700_000))
    const ended = await project.run('read_long', { length: 700_000 })
    expect([ended.status, ended.answer]).toEqual([
      'completed',
      { advice: 'step "advise": LLM: 400 Please shorten.' },
    ])
    expect(ended.steps.map(({ step, status, error }) => [step, status, error?.name])).toEqual([
      ['make', 'completed', undefined],
      ['advise', 'failed', 'ContextOverflow'],
    ])
    expect(project.model.timesAsked(question)).toBe(1)
    const history = await project.history('read_long', ended.id)
    expect(JSON.stringify(history).length).toBeLessThan(50_000)
  })

  it('where they fit, the model reads all of them', async () => {
    const question = project.model.script([advice('long')], 'x'.repeat(600_000))
    expect(await project.run('read_long', { length: 600_000 })).toMatchObject({ answer: { advice: 'long' } })
    expect(project.model.timesAsked(question)).toBe(1)
  })
})

describe('O24 the function of a turn is killed while the model answers', () => {
  it('is taken over by another, and the step of the doer ends once', async () => {
    const killed = async () => {
      await project.killFunctions()
      return advice('too late')
    }
    const question = project.model.script([killed, advice('in time')])
    const ended = await project.run('ask', { question })
    expect(ended).toMatchObject({
      status: 'completed',
      answer: { advice: 'in time' },
      steps: [{ step: 'advise', status: 'completed' }],
    })
    const { turns } = await project.childOf(ended)
    expect([turns.map(({ outcome }) => outcome), project.model.timesAsked(question)]).toEqual([['answer'], 2])
    const history = await project.history('ask', ended.id)
    const told = history.filter(({ taskSucceededEventDetails: end }) => end?.output?.includes('advice'))
    expect(told).toHaveLength(1)
  })
})

describe('O31 the same start twice', () => {
  const inputOf = (runId: string, question: string) => JSON.stringify({ runId, input: { question } })

  it('of a doer under one Idempotency-Key is one execution, while it runs and after it has ended', async () => {
    const held = Promise.withResolvers<void>()
    const question = project.model.script([() => held.promise.then(() => advice('once'))])
    const submit = () => project.gateway.submit('ask', { question }, 'one key')
    const [first, second] = await Promise.all([submit(), submit()])
    held.resolve()
    await project.ended(first.id)
    const third = await submit()
    expect([second.id, third.id, third.answer]).toEqual([first.id, first.id, { advice: 'once' }])
    expect(await project.executionInputs('ask', first.id)).toEqual([inputOf(first.id, question)])
    expect(project.model.timesAsked(question)).toBe(1)
  })

  it('of a doer that is a step of another, delivered twice and again after its end, is one execution', async () => {
    project.fail('doer-ask', { kind: 'double' }, 1)
    const question = project.model.script([advice('once')])
    const ended = await project.run('ask_beneath', { question })
    const deliveries = project.invocationsOf('doer-ask', ended.id)
    await Promise.all(deliveries.map(project.deliverAgain))
    expect([deliveries.length, ended.answer]).toEqual([1, { advice: 'once' }])
    const child = String(ended.steps[0]?.run)
    expect(await project.executionInputs('ask', child)).toEqual([inputOf(child, question)])
    expect(project.model.timesAsked(question)).toBe(1)
  })
})

describe('O32 the answer of a step’s tool is lost', () => {
  it.each([
    ['changes things', 'tool-charge'],
    ['is idempotent', 'tool-set_price'],
  ])('it is asked for again and has run once, where it %s', async (_, functionId) => {
    project.fail(functionId, { kind: 'lose-answer' }, 2)
    const item = `lost by ${functionId}`
    const ended = await project.run('sell', { item, pricingMs: 0, chargingMs: 0 })
    expect(ended).toMatchObject({ status: 'completed', answer: { charged: item } })
    expect(project.invocationsOf(functionId, ended.id)).toHaveLength(3)
    expect(project.notesOf(item).map(({ did }) => did)).toEqual(['priced', 'charged'])
  })
})

describe('O32 the process of a step’s tool dies after the effect', () => {
  /** Kills the functions when a tool has done its work on the item and has not ended, and skips the time in which it might be alive. */
  async function killAfter(did: string, item: string): Promise<void> {
    while (!project.notesOf(item).some((note) => note.did === did))
      await new Promise((done) => setTimeout(done, 20))
    await project.killFunctions()
    project.skip(60_000)
  }

  it('it runs again under the same key where it is idempotent', async () => {
    const { id } = await project.gateway.submit('sell', { item: 'pen', pricingMs: 3_000, chargingMs: 0 })
    await killAfter('priced', 'pen')
    expect(await project.ended(id)).toMatchObject({ status: 'completed', answer: { charged: 'pen' } })
    const [first, second, ...more] = project.notesOf('pen')
    expect([second, more.map(({ did }) => did)]).toEqual([first, ['charged']])
  })

  it('it is Interrupted where it changes things, and what it did is not done again', async () => {
    const { id } = await project.gateway.submit('sell', { item: 'ink', pricingMs: 0, chargingMs: 3_000 })
    await killAfter('charged', 'ink')
    const message = expect.stringMatching(/^step "charge": /)
    expect(await project.ended(id)).toMatchObject({
      status: 'failed',
      error: { name: 'Interrupted', message },
    })
    expect(project.notesOf('ink').map(({ did }) => did)).toEqual(['priced', 'charged'])
  })
})

describe('O33 how the tool of a step ends is what its doer tells', () => {
  it.each([
    ['throws', 'NotFound', 'There is no such shelf', 1],
    ['throws an error of its own', 'Internal', 'read ECONNRESET', 1],
    // The process that still waits is ended, and asked for what it has on record.
    ['waits', 'Timeout', 'misbehave did not end within its 1 s', 2],
    ['loops', 'Timeout', '[^\n]*Task timed out after 6\\.00 seconds', 1],
    ['exhausts memory', 'Internal', '[^\n]*signal: killed', 3],
  ])('where it %s', async (how, name, message, invocations) => {
    const ended = await project.run('try_tool', { how })
    expect(ended).toMatchObject({ status: 'failed', error: { name } })
    expect(ended.error?.message).toMatch(new RegExp(`^step "try": ${message}$`))
    expect(project.invocationsOf('tool-misbehave', ended.id)).toHaveLength(invocations)
    expect(JSON.stringify(ended)).not.toMatch(/\bat [^"]*\.[jt]s:\d/)
  })

  it.each([
    [
      'returns an error',
      { errorMessage: 'What a shelf said', errorType: 'NotFound', stackTrace: ['at shelf'] },
    ],
    ['returns nothing', null],
  ])('where it %s, which is no failure', async (how, came) => {
    const ended = await project.run('try_tool', { how })
    expect([ended.status, ended.answer]).toEqual(['completed', { came }])
  })
})
