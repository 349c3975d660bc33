import { afterEach, describe, expect, it } from 'vitest'
import type { ModelServer } from '../../../src/local/models/model-server.ts'
import { startScriptedModel } from '../../../src/local/models/scripted.ts'
import { ask, modelAt } from '../../model/probe.ts'

let server: ModelServer
afterEach(() => server.close())

const questionOf = (text: string) => ask({ messages: [{ role: 'user', text }] })

describe('the scripted model', () => {
  it('plays its replies in order and records what it was asked', async () => {
    server = await startScriptedModel({
      replies: [{ text: 'one' }, { calls: [{ name: 'ping', arguments: { a: 1 } }] }],
    })
    const model = modelAt(server)
    const first = await model.exchange(questionOf('first'))
    const second = await model.exchange(questionOf('second'))
    expect([first.text, second.calls]).toEqual([
      'one',
      [{ id: 'call_1_0', name: 'ping', arguments: '{"a":1}' }],
    ])
    expect(server.requests.map(({ messages }) => messages[0]?.content)).toEqual(['first', 'second'])
  })

  it('refuses what a provider refuses with an error of the same shape, without using up a reply', async () => {
    server = await startScriptedModel({ replies: [{ text: 'one' }] })
    const body = { model: 'm', messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] }
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    const refusal = { message: expect.stringContaining("hold 'x'"), param: 'messages[0]' }
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { ...refusal, type: 'invalid_request_error', code: null },
    })
    expect(server.refusals).toEqual([{ ...refusal, body }])
    expect(await modelAt(server).exchange(ask())).toMatchObject({ text: 'one' })
  })

  it('refuses once its script is over', async () => {
    server = await startScriptedModel({ replies: [] })
    await expect(modelAt(server).exchange(ask())).rejects.toThrow(
      'The script has 0 replies, and this is request 1',
    )
    expect(server.refusals).toHaveLength(1)
  })

  it('answers many at once by what they ask', async () => {
    server = await startScriptedModel({
      replies: ({ messages }) => ({ text: `re: ${messages[0]?.content}`, delayMs: 20 }),
    })
    const model = modelAt(server)
    const questions = Array.from(Array(20).keys(), String)
    const replies = await Promise.all(questions.map((question) => model.exchange(questionOf(question))))
    expect(replies.map((reply) => reply.text)).toEqual(questions.map((question) => `re: ${question}`))
  })

  it('closes while a reply is delayed', async () => {
    server = await startScriptedModel({ replies: () => ({ text: 'late', delayMs: 60_000 }) })
    const signal = AbortSignal.timeout(100)
    const exchange = modelAt(server).exchange(ask({ signal }))
    const ended = expect(exchange).rejects.toMatchObject({ name: 'Timeout' })
    await expect.poll(() => server.requests.length).toBe(1)
    await server.close()
    await ended
  })

  it('starts again at the port it had', async () => {
    server = await startScriptedModel({ replies: [{ text: 'one' }] })
    const port = Number(new URL(server.url).port)
    await server.close()
    server = await startScriptedModel({ replies: [{ text: 'two' }], port })
    expect(await modelAt(server).exchange(ask())).toMatchObject({ text: 'two' })
  })
})
