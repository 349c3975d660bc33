import type { SpokenReply } from '../model-server.ts'
import type { ChatRequest } from '../wire.ts'
import { writeAnswer } from './answer.ts'
import { chooseCall } from './choose-call.ts'
import { readConversation } from './conversation.ts'
import { describeOutcomes } from './sentence.ts'

/**
 * The whole policy, from the request alone:
 * 1. While nothing has come back since the last user message, the tool that fits the question best is called
 *    (`choose-call.ts`).
 * 2. Otherwise the answer's schema is filled from the question, its input and the results (`answer.ts`).
 */
export function rehearse(request: ChatRequest): SpokenReply {
  const conversation = readConversation(request.messages)
  const call = conversation.isAnswered ? undefined : chooseCall(request.tools ?? [], conversation)
  if (call !== undefined) return { calls: [call] }
  if (request.response_format?.type !== 'json_schema') return { text: describeOutcomes(conversation) }
  return { text: JSON.stringify(writeAnswer(request.response_format.json_schema.schema ?? {}, conversation)) }
}
