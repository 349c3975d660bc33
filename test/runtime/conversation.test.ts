import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/model/types.ts'
import { toMessages } from '../../src/runtime/conversation.ts'
import type { Turn } from '../../src/store/records.ts'
import { answerOf, askedCall, bodyOf, callsOf, leaseOf, NOW, resultOf } from '../store/records.ts'
import { committed, entriesOf, orderAgent } from './stage.ts'

const messagesOf = (turns: readonly Turn[]): Message[] => toMessages(orderAgent, { question: 'why' }, turns)
const opening: Message[] = [
  { role: 'system', text: 'Help with orders.' },
  { role: 'user', text: '{"question":"why"}' },
]
const correction = (text: string) =>
  committed(1, bodyOf({ kind: 'correction', text, correction: 'Say less.' }))

describe('the conversation of a run', () => {
  it('begins with the instructions and the input', () => {
    expect(messagesOf([])).toEqual(opening)
  })

  it('has each call followed by its result, in the order of the calls, whoever answered', () => {
    const asked = [
      askedCall({ id: 'a' }),
      askedCall({
        id: 'b',
        name: 'order_stats',
        answered: { name: 'InvalidInput', message: 'Nothing is named so' },
      }),
      askedCall({ id: 'c', arguments: '{"orderNumber": "A-2"}' }),
    ]
    const failure = {
      ok: false as const,
      failure: { name: 'NotFound' as const, message: 'No order "A-2"' },
      startedAt: NOW,
      endedAt: NOW,
    }
    const turns = [
      committed(
        1,
        bodyOf({ kind: 'calls', text: 'Let me see', calls: asked }),
        entriesOf({ 2: failure, 0: resultOf({ status: 'open' }) }),
      ),
      committed(2, callsOf(askedCall({ id: 'd' })), entriesOf({ 0: resultOf(null) })),
    ]
    expect(messagesOf(turns)).toEqual([
      ...opening,
      {
        role: 'assistant',
        text: 'Let me see',
        calls: [
          { id: 'a', name: 'order_status', arguments: '{"orderNumber":"A-1"}' },
          { id: 'b', name: 'order_stats', arguments: '{"orderNumber":"A-1"}' },
          { id: 'c', name: 'order_status', arguments: '{"orderNumber": "A-2"}' },
        ],
      },
      { role: 'tool', callId: 'a', text: '{"status":"open"}' },
      {
        role: 'tool',
        callId: 'b',
        text: 'InvalidInput: Nothing is named so\nCorrect the call and try again.',
      },
      {
        role: 'tool',
        callId: 'c',
        text: 'NotFound: No order "A-2"\nIt does not exist; check what you asked for.',
      },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'd', name: 'order_status', arguments: '{"orderNumber":"A-1"}' }],
      },
      { role: 'tool', callId: 'd', text: 'null' },
    ])
  })

  it('has what could not be used, and the correction', () => {
    expect(messagesOf([correction('{"te')])).toEqual([
      ...opening,
      { role: 'assistant', text: '{"te', calls: [] },
      { role: 'user', text: 'Say less.' },
    ])
  })

  it.each(['', ' \n'])('never has an assistant that says nothing: %j', (text) => {
    expect(messagesOf([correction(text)])).toEqual([...opening, { role: 'user', text: 'Say less.' }])
  })

  it('has nothing of turns that only waited, are leased, or are the answer', () => {
    const turns: Turn[] = [
      committed(1, bodyOf({ kind: 'wait', until: NOW, failure: { name: 'Throttled', message: 'Later' } })),
      committed(2, answerOf({ text: 'hi' })),
      { state: 'leased', number: 3, lease: leaseOf('a') },
    ]
    expect(messagesOf(turns)).toEqual(opening)
  })

  it('is never sent with an open call', () => {
    const turns = [
      committed(1, callsOf(askedCall({ id: 'a' }), askedCall({ id: 'b' })), entriesOf({ 0: resultOf(1) })),
    ]
    expect(() => messagesOf(turns)).toThrow(
      'The call b of order_status is open, and the model was about to be asked',
    )
  })
})
