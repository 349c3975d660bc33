import { afterEach, describe, expect, it } from 'vitest'
import { TurnwiseError } from '../../src/core/errors.ts'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { type ScriptedReply, startScriptedModel } from '../../src/local/models/scripted.ts'
import { ProviderThrottled } from '../../src/model/throttled.ts'
import { ask, KEY, modelAt } from './probe.ts'

let server: ModelServer
afterEach(() => server.close())

/** How an exchange fails that gets this answer each time. */
async function failure(
  reply: ScriptedReply,
  changes: Parameters<typeof ask>[0] = {},
): Promise<TurnwiseError> {
  server = await startScriptedModel({ replies: () => reply })
  const error: unknown = await modelAt(server)
    .exchange(ask(changes))
    .then(
      () => 'an answer',
      (thrown: unknown) => thrown,
    )
  if (error instanceof TurnwiseError) return error
  throw new Error(`expected a failure of the family, got ${String(error)}`)
}
const refusal = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})

describe('a provider that asks for patience', () => {
  it.each([
    ['seconds', { 'retry-after': '90' }, 90],
    ['three hours', { 'retry-after': '10800' }, 10_800],
    ['milliseconds', { 'retry-after-ms': '2500' }, 2.5],
    ['a date', { 'retry-after': 'Wed, 02 Dec 2026 10:00:30 GMT', date: 'Wed, 02 Dec 2026 10:00:00 GMT' }, 30],
  ])('throttles at once with the wait it gave in %s, without trying again', async (_, headers, seconds) => {
    const error = await failure({ status: 429, body: refusal('slow down'), headers })
    expect(error).toBeInstanceOf(ProviderThrottled)
    expect(error).toMatchObject({
      name: 'Throttled',
      retryAfterSeconds: seconds,
      message: 'LLM: 429 slow down',
    })
    expect(server.requests).toHaveLength(1)
  })

  it('gets two more tries in the same turn when the wait is short, then throttles', async () => {
    const error = await failure({
      status: 503,
      body: refusal('overloaded'),
      headers: { 'retry-after-ms': '10' },
    })
    expect(error).toMatchObject({ name: 'Throttled', retryAfterSeconds: 0.01 })
    expect(server.requests).toHaveLength(3)
  })

  it('answers a later try as if nothing had been', async () => {
    server = await startScriptedModel({
      replies: [
        { status: 429, body: refusal('slow down'), headers: { 'retry-after-ms': '10' } },
        { text: '{"answer":"x"}' },
      ],
    })
    expect(await modelAt(server).exchange(ask())).toMatchObject({ stop: 'answer' })
  })
})

describe('a provider that fails', () => {
  const now = { 'retry-after-ms': '1' }

  it.each([
    ['with a 500', { status: 500, body: refusal('oops'), headers: now }, 'LLM: 500 oops'],
    [
      'with an account that is empty',
      { status: 429, body: refusal('no money', 'insufficient_quota'), headers: now },
      'LLM: 429 no money',
    ],
    [
      'in a body of success',
      { status: 200, body: { error: { message: 'quota exceeded' }, choices: [] } },
      'LLM: quota exceeded',
    ],
    ['N30 by choosing nothing', { status: 200, body: { choices: [] } }, 'LLM: a reply without a choice'],
    [
      'N30 by saying nothing',
      { status: 200, body: { choices: [{ finish_reason: 'stop', message: { content: '' } }] } },
      'LLM: an empty reply',
    ],
    [
      'midway',
      { status: 200, body: { choices: [{ finish_reason: 'error', message: { content: 'half' } }] } },
      'the provider stopped with an error',
    ],
    ['with a page instead of JSON', { status: 200, body: '<html>' }, 'LLM: '],
    ['with a shape of its own', { status: 200, body: { choices: [{ text: 'hi' }] } }, 'an unreadable reply'],
  ])('is a failed service: %s', async (_, reply, message) => {
    const error = await failure(reply)
    expect(error.name).toBe('ExternalService')
    expect(error.message).toContain(message)
  })

  it('is a failed service that names what stands at the other end when nobody listens', async () => {
    server = await startScriptedModel({ replies: [] })
    await server.close()
    await expect(modelAt(server).exchange(ask())).rejects.toMatchObject({
      name: 'ExternalService',
      message: expect.stringMatching(/^LLM: no connection: .*ECONNREFUSED 127\.0\.0\.1/),
    })
  })
})

describe('a request that the provider refuses', () => {
  it.each([
    ['by its code', refusal('Please shorten.', 'context_length_exceeded')],
    ['in words', refusal("This model's maximum context length is 8192 tokens, you asked for 9000")],
  ])('overflows the context when it says so %s', async (_, body) => {
    expect((await failure({ status: 400, body })).name).toBe('ContextOverflow')
  })

  it.each([400, 404, 422])('is our fault otherwise, in the words of the provider: %i', async (status) => {
    const error = await failure({ status, body: refusal('It is wrong.') })
    expect(error).toMatchObject({
      name: 'Internal',
      message: `LLM refused our request: ${status} It is wrong.`,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('is denied with the variable to set, without the key that the provider echoes', async () => {
    const error = await failure({ status: 401, body: refusal(`Incorrect API key provided: ${KEY}`) })
    expect(error.name).toBe('Denied')
    expect(error.message).toContain(
      'Incorrect API key provided: [key]; set OPENAI_API_KEY to a key that may use gpt-5-mini',
    )
  })
})

describe('an exchange that runs out of time', () => {
  it('ends when its signal is aborted while the model is thinking', async () => {
    const error = await failure({ text: '{}', delayMs: 60_000 }, { signal: AbortSignal.timeout(50) })
    expect(error).toMatchObject({ name: 'Timeout', message: 'LLM: no answer within the time for this turn' })
  })

  it('ends while it waits to try again', async () => {
    const reply = { status: 429, body: refusal('slow down'), headers: { 'retry-after': '2' } }
    // Long enough to be answered on a busy machine, and shorter than what the answer asks to wait.
    const error = await failure(reply, { signal: AbortSignal.timeout(1_000) })
    expect(error.name).toBe('Timeout')
    expect(server.requests).toHaveLength(1)
  })

  it('sends nothing when the time was over before', async () => {
    const error = await failure({ text: '{}' }, { signal: AbortSignal.abort() })
    expect(error.name).toBe('Timeout')
    expect(server.requests).toEqual([])
  })
})
