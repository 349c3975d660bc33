import {
  type RecordedRequest,
  type ScriptedReply,
  startScriptedModel,
} from '../../../src/local/models/scripted.ts'
import { textOf } from '../../../src/local/models/wire.ts'

export type RefundTool = 'refund_order' | 'refund_order_plain'

/** The input of the fixture's agent. */
export interface RefundInput {
  readonly orderNumber: string
  readonly tool: RefundTool
}

/** A model that calls the tool that it is told to, once, and then says in its answer what it read of the end. */
export const startRefundModel = (delayMs: () => number = () => 0) =>
  startScriptedModel({ replies: (request) => ({ ...reply(request), delayMs: delayMs() }) })

function reply(request: RecordedRequest): ScriptedReply {
  const outcome = toolTextOf(request)
  if (outcome !== undefined) return { text: JSON.stringify({ outcome }) }
  const { orderNumber, tool } = refundInputOf(request)
  return { calls: [{ name: tool, arguments: { orderNumber } }] }
}

/** What the model was told of the call's end; undefined before. */
export function toolTextOf({ messages }: RecordedRequest): string | undefined {
  const result = messages.find(({ role }) => role === 'tool')
  return result && textOf(result)
}

export function refundInputOf({ messages }: RecordedRequest): RefundInput {
  const question = messages.find(({ role }) => role === 'user')
  return JSON.parse(question ? textOf(question) : '')
}
