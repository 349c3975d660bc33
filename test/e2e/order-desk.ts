import type { RecordedRequest, ScriptedReply } from '../../src/local/models/scripted.ts'

/**
 * How the model of these tests works for the example: it looks up the order that the question names, or refunds it when asked to, and
 * answers with what the tool said; so each run's answer is its own. A report it sums up by counting.
 */
export function orderDesk({ messages }: RecordedRequest): ScriptedReply {
  const input: { question?: string; lines?: readonly unknown[] } = JSON.parse(String(messages[1]?.content))
  if (input.question === undefined)
    return { text: JSON.stringify({ summary: `${input.lines?.length} orders` }) }
  const orderNumber = orderIn(input.question)
  const last = messages.at(-1)
  if (last?.role === 'tool')
    return { text: JSON.stringify({ answer: String(last.content), orderNumber: orderNumber ?? null }) }
  const call = /refund/i.test(input.question)
    ? { name: 'refund_order', arguments: { orderNumber, reason: 'broken' } }
    : { name: 'order_status', arguments: { orderNumber } }
  return { calls: [call] }
}

/** The number of the order that a question names: `A-1007`. */
export const orderIn = (question: string): string | undefined => /A-\d{4}/.exec(question)?.[0]
