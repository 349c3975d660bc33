import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { startScriptedModel } from '../../src/local/models/scripted.ts'
import { startTestProject, type TestProject } from '../support/test-project.ts'

let model: ModelServer
let project: TestProject
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnwise-language-'))
  model = await startScriptedModel({ replies: () => ({ text: '{}' }) })
  project = await startTestProject({
    functionsDirectory: 'test/fixtures/fan-out/functions',
    modelUrl: model.url,
  })
})
afterAll(async () => {
  await project?.close()
  await model?.close()
  await rm(directory, { recursive: true, force: true })
})

describe('N31 the language of doers, on the whole stack', () => {
  it('tries again, runs code, lets a job wait for another, tells, and goes on with a person’s answer', async () => {
    const { gateway } = project
    const { id } = await gateway.submit('approve_parts', { count: 4, file: join(directory, 'asked') })
    const asking = await gateway.until(id, ({ steps }) => steps.some(({ name }) => name === 'ask'))
    const question = asking.steps.find(({ name }) => name === 'ask')
    expect(question).toMatchObject({ step: 'agree', status: 'waiting', input: 'May we spend 12?' })
    expect(Date.parse(question?.answerBy ?? '') - Date.parse(question?.startedAt ?? '')).toBe(600_000)

    const answer = (body: object) =>
      gateway.ask(`/runs/${id}/answers`, { method: 'POST', body: JSON.stringify(body) })
    expect(await answer({ step: 'agree', answer: { yes: 'maybe' } })).toMatchObject({
      status: 400,
      body: { error: { name: 'InvalidInput' } },
    })
    expect(await answer({ step: 'other', answer: { yes: true } })).toMatchObject({ status: 404 })
    expect(await answer({ step: 'agree', answer: { yes: true } })).toMatchObject({ status: 202 })
    const ended = await gateway.ended(id)
    expect([ended.status, ended.answer]).toEqual(['completed', { agreed: true, cost: 12, asked: 2, keys: 1 }])
    expect(
      ended.steps.map(({ number, step, name, attempts, output }) => [number, step, name, attempts, output]),
    ).toEqual([
      [1, 'ask twice', 'come_back_later', 2, { asked: 2, keys: 1 }],
      [1, 'make', 'make_parts', undefined, { parts: { artifact: expect.any(String), size: 4 } }],
      [2, 'reckon', 'code', undefined, 12],
      [3, 'tell', 'emit', undefined, null],
      [4, 'agree', 'ask', undefined, { yes: true }],
    ])
  })
})
