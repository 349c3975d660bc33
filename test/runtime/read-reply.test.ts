import { doer } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ModelCall, Reply } from '../../src/model/types.ts'
import { readReply } from '../../src/runtime/read-reply.ts'
import type { TurnOutcome } from '../../src/store/records.ts'
import { agentOf, orderAgent, orderStatus, refundOrder } from './stage.ts'

const replyOf = (given: Partial<Reply>): Reply => ({
  text: '',
  calls: [],
  stop: 'answer',
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'm',
  ...given,
})
const read = (given: Partial<Reply>, thinker = orderAgent) =>
  readReply(thinker, replyOf(given), { runId: 'run', turn: 7 })
const callOf = (given: Partial<ModelCall>): ModelCall => ({
  id: 'call_1',
  name: 'order_status',
  arguments: '{"orderNumber":"A-1"}',
  ...given,
})

function readCalls(calls: readonly ModelCall[], thinker = orderAgent) {
  const outcome = read({ stop: 'calls', calls }, thinker)
  if (outcome.kind !== 'calls') throw new Error(`That is ${outcome.kind}`)
  return outcome.calls
}

describe('an answer', () => {
  it.each(['{"text":"hi"}', '```json\n{"text":"hi"}\n```'])(
    'that fits the schema is the value: %j',
    (text) => {
      expect(read({ text })).toEqual({ kind: 'answer', text, value: { text: 'hi' } })
    },
  )

  it.each<[string, Partial<Reply>, string]>([
    ['says nothing', { text: ' \n' }, 'You called no tool and gave no answer. Do one or the other.'],
    [
      'is no JSON',
      { text: 'All is well' },
      'The answer must be JSON that fits its schema. Expected JSON, found text: "All is well"',
    ],
    [
      'does not fit the schema',
      { text: '{"text":1}' },
      'The answer does not fit its schema:\n✖ Invalid input: expected string, received number\n  → at text',
    ],
    [
      'has a number that none holds',
      { text: '{"text":9007199254740993}' },
      'The answer must be JSON that fits its schema. "text" is 9007199254740993, which no number holds exactly; pass it as text',
    ],
    [
      'was cut',
      { text: '{"te', stop: 'cut' },
      'Your reply was cut off at its length limit. Say less in one turn.',
    ],
    [
      'was refused',
      { text: 'I will not', stop: 'refused' },
      'That is no answer. Answer as asked, or say in the answer why you cannot.',
    ],
  ])('that %s is corrected', (_, reply, correction) => {
    expect(read(reply)).toEqual<TurnOutcome>({
      kind: 'correction',
      text: (reply.text ?? '').trim() === '' ? '' : (reply.text ?? ''),
      correction,
    })
  })
})

describe('a call', () => {
  it('keeps the tool’s repeat rules, and the input as it was written: the tool’s function parses it', () => {
    expect(readCalls([callOf({})])).toEqual([
      {
        ...callOf({}),
        target: { kind: 'tool', readOnly: true, idempotent: false, timeoutSeconds: 60 },
        input: { orderNumber: 'A-1' },
      },
    ])
  })

  it('of an agent has the id of the run that it makes, the same each time, and the input that it parses to', () => {
    const helper = agentOf([], 'helper')
    const report = doer({ name: 'report', description: 'd', input: z.object({}), output: z.null() }).plan(
      () => null,
    )
    const calls = [
      callOf({ name: 'helper', arguments: '{"question":"why"}' }),
      callOf({ name: 'report', arguments: '{}' }),
    ]
    const agents = agentOf([helper, report])
    const [first, second] = readCalls(calls, agents)
    expect(first).toMatchObject({ target: { kind: 'thinker' }, input: { question: 'why', tone: 'kind' } })
    expect(second).toMatchObject({ target: { kind: 'doer' }, input: {} })
    expect(readCalls(calls, agents)).toEqual([first, second])
    const ids = [first, second].map((call) =>
      call?.target?.kind === 'tool' ? undefined : call?.target?.childId,
    )
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each<[string, Partial<ModelCall>, string, string]>([
    [
      'of nothing known',
      { name: 'order_stats' },
      'InvalidInput',
      'Nothing is named "order_stats"; known: order_status, refund_order',
    ],
    [
      'whose arguments are no JSON',
      { arguments: '{"orderNumber":' },
      'InvalidInput',
      'The arguments are not JSON: {"orderNumber":',
    ],
    [
      'whose arguments do not fit',
      { arguments: '{"orderNumber":7}' },
      'InvalidInput',
      'The input of order_status is wrong:\n✖ Invalid input: expected string, received number\n  → at orderNumber',
    ],
    [
      'whose arguments are a list',
      { arguments: '[]' },
      'InvalidInput',
      'The input of order_status is wrong:\n✖ Invalid input: expected object, received array',
    ],
    [
      'with a number that none holds',
      { arguments: '{"orderNumber":9007199254740993}' },
      'InvalidInput',
      '"orderNumber" is 9007199254740993, which no number holds exactly; pass it as text',
    ],
  ])('%s is answered by the turn', (_, given, name, message) => {
    const [asked] = readCalls([callOf(given)])
    expect(asked).toMatchObject({ answered: { name, message }, input: null })
    expect(asked).not.toHaveProperty('target')
  })

  it('that a transform made unkeepable is answered by the turn, and does not fail the commit', () => {
    const input = z.object({ at: z.string().transform((text) => new Date(text)) })
    const dated = { ...agentOf([], 'dated'), input } as unknown as typeof orderAgent
    const [asked] = readCalls([callOf({ name: 'dated', arguments: '{"at":"2026-01-01"}' })], agentOf([dated]))
    expect(asked?.answered).toEqual({
      name: 'Internal',
      message: 'The input of dated has a Date at $.at, which JSON cannot hold; return toISOString()',
    })
  })

  it('is refused from the 65th on', () => {
    const calls = Array.from({ length: 66 }, (_, index) => callOf({ id: `call_${index}` }))
    const refused = readCalls(calls).flatMap(({ answered, id }) => (answered ? [[id, answered.name]] : []))
    expect(refused).toEqual([
      ['call_64', 'Denied'],
      ['call_65', 'Denied'],
    ])
  })

  it.each([
    ['a name with a space', 'order status', 'order_status'],
    ['a name in another script', 'заказ', '_____'],
    ['a name of 100 characters', 'x'.repeat(100), 'x'.repeat(64)],
    ['no name', '', '_'],
  ])('with %s goes back to the provider under a legal one', (_, name, legal) => {
    expect(readCalls([callOf({ name })])).toMatchObject([{ name: legal, answered: { name: 'InvalidInput' } }])
  })

  it.each([
    ['half of an object', '{"a"', '{}'],
    ['a list', '[1]', '{}'],
    ['an object', '{"a": 1}', '{"a": 1}'],
  ])('with %s as its arguments goes back with an object', (_, text, legal) => {
    expect(readCalls([callOf({ name: 'order_stats', arguments: text })])).toMatchObject([
      { arguments: legal },
    ])
  })

  it('stands with the text beside it', () => {
    expect(read({ stop: 'calls', text: 'Let me see', calls: [callOf({})] })).toMatchObject({
      text: 'Let me see',
    })
    expect([orderStatus.name, refundOrder.name]).toEqual(orderAgent.palette.map(({ name }) => name))
  })
})
