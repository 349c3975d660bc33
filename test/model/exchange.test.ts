import { afterEach, describe, expect, it } from 'vitest'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { type Script, type ScriptedReply, startScriptedModel } from '../../src/local/models/scripted.ts'
import { pick } from '../../src/model/catalog.ts'
import type { Message, ToolOffer } from '../../src/model/types.ts'
import { answer, ask, catalog, modelAt } from './probe.ts'

let server: ModelServer
afterEach(() => server.close())

async function scripted(...replies: ScriptedReply[]) {
  return start(replies)
}
async function start(replies: Script) {
  server = await startScriptedModel({ replies })
  return modelAt(server)
}
/** A whole body as a provider or a gateway sends it. */
const raw = (body: unknown): ScriptedReply => ({ status: 200, body })
const rawMessage = (message: object, finishReason: string | null = 'stop') =>
  raw({
    model: 'm',
    choices: [{ finish_reason: finishReason, message }],
    usage: { prompt_tokens: 9, completion_tokens: 3 },
  })
const rawCalls = (...calls: object[]) => rawMessage({ content: null, tool_calls: calls }, 'tool_calls')

const orderStatus: ToolOffer = {
  name: 'order_status',
  description: 'Looks up one order',
  parameters: {
    type: 'object',
    properties: { orderNumber: { type: 'string', pattern: '^A-\\d{4}$' } },
    required: ['orderNumber'],
    additionalProperties: false,
  },
}

describe('what an exchange sends', () => {
  it('has the model of the grade, its limit, the answer as a strict format, and nothing that has no value', async () => {
    const model = await scripted({ text: '{"answer":"x"}' })
    await model.exchange(ask())
    expect(server.requests).toEqual([
      {
        model: 'gpt-5-mini',
        messages: [
          { role: 'system', content: 'You answer questions about orders.' },
          { role: 'user', content: '{"question":"Where is order A-1007?"}' },
        ],
        response_format: { type: 'json_schema', json_schema: { ...answer, strict: true } },
        max_completion_tokens: 4_096,
        reasoning_effort: 'minimal',
      },
    ])
  })

  it('calls the limit max_tokens where the catalog says so', async () => {
    server = await startScriptedModel({ replies: [{ text: '{}' }] })
    const model = modelAt(server, { small: { ...pick(catalog, 'small'), maxTokensParameter: 'max_tokens' } })
    await model.exchange(ask())
    expect(server.requests[0]).toMatchObject({ max_tokens: 4_096 })
    expect(server.requests[0]).not.toHaveProperty('max_completion_tokens')
  })

  it('marks only those schemas strict that keep the rules, and changes none', async () => {
    const model = await scripted({ text: '{}' })
    const loose = { type: 'object', properties: { limit: { type: 'number' } } }
    const tools = [orderStatus, { name: 'list_orders', description: 'Lists', parameters: loose }]
    await model.exchange(ask({ tools, answer: { name: 'a', schema: loose } }))
    expect(server.requests[0]?.tools?.map((tool) => tool.function)).toEqual([
      { ...orderStatus, strict: true },
      { name: 'list_orders', description: 'Lists', parameters: loose },
    ])
    expect(server.requests[0]?.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'a', schema: loose },
    })
  })

  it('gives an object schema without properties an empty list of them', async () => {
    const model = await scripted({ text: '{}' })
    await model.exchange(
      ask({ tools: [{ name: 'ping', description: 'Pings', parameters: { type: 'object' } }] }),
    )
    expect(server.requests[0]?.tools?.[0]?.function.parameters).toEqual({ type: 'object', properties: {} })
  })

  it('makes a legal history of what models write: odd names, malformed and blank arguments, a message that says nothing', async () => {
    const model = await scripted({ text: '{}' })
    const calls = [
      { id: 'a', name: 'functions.order status', arguments: '{"x":' },
      { id: 'b', name: 'ping', arguments: ' ' },
      { id: 'c', name: '', arguments: '[1]' },
    ]
    const messages: Message[] = [
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: '', calls: [] },
      { role: 'assistant', text: '', calls },
      ...calls.map(({ id }): Message => ({ role: 'tool', callId: id, text: 'InvalidInput' })),
    ]
    await model.exchange(ask({ messages }))
    expect(server.refusals).toEqual([])
    const sent = server.requests[0]?.messages.flatMap((message) =>
      message.role === 'assistant' ? [message] : [],
    )
    expect(sent?.map((message) => message.tool_calls?.map((call) => call.function))).toEqual([
      [
        { name: 'functions_order_status', arguments: '{"unreadable":"{\\"x\\":"}' },
        { name: 'ping', arguments: '{}' },
        { name: 'unnamed', arguments: '{"unreadable":"[1]"}' },
      ],
    ])
  })
})

describe('what an exchange returns', () => {
  it('is the answer with what it cost', async () => {
    const model = await scripted({ text: '{"answer":"x"}', usage: { inputTokens: 120, outputTokens: 8 } })
    expect(await model.exchange(ask())).toEqual({
      text: '{"answer":"x"}',
      calls: [],
      stop: 'answer',
      usage: { inputTokens: 120, outputTokens: 8 },
      model: 'scripted',
    })
  })

  it('is the calls with the text beside them, arguments as the model wrote them', async () => {
    const calls = [
      { id: 'x', name: 'order_status', arguments: '{"orderNumber": "A-1007"}' },
      { id: 'y', name: 'nonsense', arguments: '{"a":' },
    ]
    const model = await scripted({ text: 'One moment.', calls })
    expect(await model.exchange(ask({ tools: [orderStatus] }))).toMatchObject({
      text: 'One moment.',
      calls,
      stop: 'calls',
    })
  })

  it('counts calls as calls when the provider gives another reason', async () => {
    const model = await scripted(
      rawMessage({ tool_calls: [{ id: 'x', function: { name: 'ping', arguments: '{}' } }] }, 'stop'),
    )
    expect(await model.exchange(ask())).toMatchObject({ stop: 'calls', calls: [{ name: 'ping' }] })
  })

  it.each([
    ['blank', ''],
    ['white', '  '],
    ['null', null],
    ['absent', undefined],
  ])('has {} for arguments that are %s', async (_, text) => {
    const model = await scripted(
      rawCalls({ id: 'x', type: 'function', function: { name: 'ping', arguments: text } }),
    )
    expect((await model.exchange(ask())).calls).toEqual([{ id: 'x', name: 'ping', arguments: '{}' }])
  })

  it('has JSON text where a gateway gives the arguments as an object', async () => {
    const model = await scripted(rawCalls({ id: 'x', function: { name: 'ping', arguments: { a: 1 } } }))
    expect((await model.exchange(ask())).calls[0]?.arguments).toBe('{"a":1}')
  })

  it('gives calls without an id, with a blank, a doubled or an old one ids that a next request may carry', async () => {
    const call = (id?: string) => ({
      ...(id !== undefined && { id }),
      function: { name: 'ping', arguments: '{}' },
    })
    server = await startScriptedModel({
      replies: [rawCalls(call(), call(''), call('old'), call('new'), call('new')), { text: '{}' }],
    })
    const model = modelAt(server)
    const history: Message[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [{ id: 'old', name: 'ping', arguments: '{}' }] },
      { role: 'tool', callId: 'old', text: 'pong' },
    ]
    const { calls } = await model.exchange(ask({ messages: history }))
    expect(calls.map((made) => made.id)).toEqual(['call_3_0', 'call_3_1', 'call_3_2', 'new', 'call_3_4'])
    const answered = calls.map((made): Message => ({ role: 'tool', callId: made.id, text: 'pong' }))
    await model.exchange(ask({ messages: [...history, { role: 'assistant', text: '', calls }, ...answered] }))
    expect(server.refusals).toEqual([])
  })

  it.each([
    [
      'in the middle of its arguments',
      { calls: [{ name: 'write', arguments: '{"path":"/a","content":"hel' }] },
    ],
    ['where the fragment happens to parse', { calls: [{ name: 'write', arguments: '{"path":"/a"}' }] }],
    ['in the middle of its answer', { text: '{"answer":"hal' }],
    ['before its first word', {}],
  ])('N18 is cut, without calls, when the limit came %s', async (_, reply) => {
    const model = await scripted({ ...reply, finishReason: 'length' })
    expect(await model.exchange(ask())).toMatchObject({
      stop: 'cut',
      calls: [],
      usage: { inputTokens: expect.any(Number) },
    })
  })

  it('is a refusal with its words', async () => {
    const model = await scripted({ refusal: 'I will not.' })
    expect(await model.exchange(ask())).toMatchObject({ stop: 'refused', text: 'I will not.', calls: [] })
  })

  it('is a refusal when the content filter stopped it', async () => {
    const model = await scripted({ finishReason: 'content_filter' })
    expect(await model.exchange(ask())).toMatchObject({ stop: 'refused', calls: [] })
  })

  it('has an estimate, marked as such, when the provider counts nothing', async () => {
    const model = await scripted(
      raw({ model: 'm', choices: [{ finish_reason: 'stop', message: { content: '{"answer":"x"}' } }] }),
    )
    const { usage } = await model.exchange(ask())
    expect(usage).toMatchObject({ estimated: true })
    expect(usage.inputTokens).toBeGreaterThan(30)
  })
})
