import { describe, expect, it } from 'vitest'
import { examineRequest } from '../../../src/local/models/strict-requests.ts'

const user = { role: 'user', content: 'Where is A-1007?' }
const call = (id: string, text = '{}') => ({
  id,
  type: 'function',
  function: { name: 'order_status', arguments: text },
})
const calling = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{}' })
const tool = (name: string, more = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
})
const format = (name: string, more = {}) => ({
  type: 'json_schema',
  json_schema: { name, schema: { type: 'object', properties: { a: { type: 'string' } } }, ...more },
})
const body = (more: object) => ({ model: 'm', messages: [user], ...more })

describe('a request that providers accept', () => {
  it.each([
    ['a question', {}],
    [
      'calls answered in another order than they were made',
      { messages: [user, calling(call('a'), call('b')), result('b'), result('a'), user] },
    ],
    [
      'the same name called in two turns',
      { messages: [user, calling(call('a')), result('a'), calling(call('b')), result('b')] },
    ],
    ['text in parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }],
    ['128 tools', { tools: Array.from(Array(128).keys(), (index) => tool(`tool_${index}`)) }],
    [
      'a loose answer',
      { response_format: format('a-B_9'), max_completion_tokens: 5, reasoning_effort: 'low' },
    ],
  ])('has %s', (_, more) => {
    expect(examineRequest(body(more))).toMatchObject({ kind: 'accepted' })
  })
})

describe('a request that providers refuse', () => {
  it.each([
    ['is no JSON', undefined, '', 'Invalid value'],
    ['has no messages', body({ messages: [] }), 'messages', 'Invalid value'],
    ['has a parameter that nobody knows', body({ max_turns: 3 }), '', "Unknown parameter: 'max_turns'"],
    [
      'has one inside a message',
      body({ messages: [{ ...user, agent: 'x' }] }),
      'messages[0]',
      "Unknown parameter: 'messages[0].agent'",
    ],
    [
      'has a role that nobody knows',
      body({ messages: [{ role: 'agent', content: '' }] }),
      'messages[0].role',
      'Invalid value',
    ],
    [
      'leaves a call open at the end',
      body({ messages: [user, calling(call('a'))] }),
      'messages[2]',
      'Missing: a.',
    ],
    [
      'leaves one of two calls open',
      body({ messages: [user, calling(call('a'), call('b')), result('a'), user] }),
      'messages[3]',
      'Missing: b.',
    ],
    [
      'answers a call after another message',
      body({ messages: [user, calling(call('a')), user, result('a')] }),
      'messages[2]',
      'Missing: a.',
    ],
    ['answers what nobody called', body({ messages: [user, result('a')] }), 'messages[1]', "hold 'a'"],
    [
      'answers a call twice',
      body({ messages: [user, calling(call('a')), result('a'), result('a')] }),
      'messages[3]',
      "hold 'a'",
    ],
    [
      'has one id twice in a message',
      body({ messages: [user, calling(call('a'), call('a')), result('a')] }),
      'messages[1].tool_calls[1].id',
      "Duplicate value for 'tool_call_id': 'a'",
    ],
    [
      'has one id in two turns',
      body({ messages: [user, calling(call('a')), result('a'), calling(call('a')), result('a')] }),
      'messages[3].tool_calls[0].id',
      'Duplicate',
    ],
    [
      'has a blank id',
      body({ messages: [user, calling(call('')), result('')] }),
      'messages[1].tool_calls[0].id',
      'Invalid value',
    ],
    [
      'has arguments that are cut',
      body({ messages: [user, calling(call('a', '{"x":')), result('a')] }),
      'messages[1].tool_calls[0].function.arguments',
      'JSON object',
    ],
    [
      'has blank arguments',
      body({ messages: [user, calling(call('a', '')), result('a')] }),
      'messages[1].tool_calls[0].function.arguments',
      'JSON object',
    ],
    [
      'has an assistant message that says nothing',
      body({ messages: [user, { role: 'assistant', content: '' }] }),
      'messages[1]',
      'needs content or tool_calls',
    ],
    [
      'has an empty list of calls',
      body({ messages: [user, { role: 'assistant', content: 'x', tool_calls: [] }] }),
      'messages[1].tool_calls',
      'Invalid value',
    ],
    [
      'names a tool with a colon',
      body({ tools: [tool('weather:current')] }),
      'tools[0].function.name',
      'Invalid value',
    ],
    [
      'names a tool with 65 letters',
      body({ tools: [tool('a'.repeat(65))] }),
      'tools[0].function.name',
      'Invalid value',
    ],
    [
      'names two tools the same',
      body({ tools: [tool('a'), tool('a')] }),
      'tools[1].function.name',
      "unique: 'a'",
    ],
    [
      'has 129 tools',
      body({ tools: Array.from(Array(129).keys(), (index) => tool(`tool_${index}`)) }),
      'tools',
      'Invalid value',
    ],
    ['has an empty list of tools', body({ tools: [] }), 'tools', 'Invalid value'],
    [
      'has a strict tool that leaves objects open',
      body({ tools: [tool('a', { strict: true })] }),
      'tools[0].function.parameters',
      "Invalid schema for function 'a': root: 'additionalProperties' must be false",
    ],
    [
      'has a tool whose parameters are no object',
      body({ tools: [tool('a', { parameters: { anyOf: [] } })] }),
      'tools[0].function.parameters',
      'JSON Schema of',
    ],
    [
      'names its answer with a space',
      body({ response_format: format('my answer') }),
      'response_format.json_schema.name',
      'Invalid value',
    ],
    [
      'has a strict answer with an optional field',
      body({ response_format: format('a', { strict: true }) }),
      'response_format',
      "Invalid schema for response_format 'a'",
    ],
    ['limits its reply twice', body({ max_tokens: 5, max_completion_tokens: 5 }), 'max_tokens', 'not both'],
  ])('%s', (_, request, param, message) => {
    expect(examineRequest(request)).toEqual({
      kind: 'refused',
      param,
      message: expect.stringContaining(message),
    })
  })
})
