import { toJsonText } from '../core/json-text.ts'
import type { Thinker } from '../core/thinker.ts'
import type { Message } from '../model/types.ts'
import type { CallResult, Turn } from '../store/records.ts'
import type { CommittedTurn } from './decide.ts'
import { toToolText } from './tool-text.ts'

/** The conversation that a run's record amounts to. Each call is followed by its result, whatever became of it. */
export function toMessages(thinker: Thinker, input: unknown, turns: readonly Turn[]): Message[] {
  return [
    { role: 'system', text: thinker.instructions },
    { role: 'user', text: toJsonText(input, 'The input') },
    ...turns.filter((turn) => turn.state === 'committed').flatMap(messagesOf),
  ]
}

function messagesOf({ body: { outcome }, results }: CommittedTurn): Message[] {
  switch (outcome.kind) {
    case 'wait':
    case 'answer':
      return []
    case 'correction':
      // Providers refuse an assistant message that says nothing.
      return [
        ...(outcome.text.trim() === ''
          ? []
          : [{ role: 'assistant' as const, text: outcome.text, calls: [] }]),
        { role: 'user', text: outcome.correction },
      ]
    case 'calls': {
      const calls = outcome.calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }))
      const answers = outcome.calls.map((call, index): Message => {
        const result: CallResult | { ok: false; failure: NonNullable<typeof call.answered> } | undefined =
          call.answered ? { ok: false, failure: call.answered } : results.entry(index).result
        // `decide` never takes a turn over an open call, so this is a fault of ours and must not reach a provider.
        if (!result)
          throw new Error(`The call ${call.id} of ${call.name} is open, and the model was about to be asked`)
        return { role: 'tool', callId: call.id, text: toToolText(result) }
      })
      return [{ role: 'assistant', text: outcome.text, calls }, ...answers]
    }
  }
}
