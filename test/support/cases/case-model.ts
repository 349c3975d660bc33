import type { ModelServer } from '../../../src/local/models/model-server.ts'
import {
  type RecordedRequest,
  type ScriptedReply,
  startScriptedModel,
} from '../../../src/local/models/scripted.ts'
import { textOf } from '../../../src/local/models/wire.ts'

/** What the model says; a function is asked when its turn comes, and may take its time. */
export type Reply = ScriptedReply | (() => Promise<ScriptedReply>)

export interface CaseModel extends Pick<ModelServer, 'url' | 'close'> {
  /** Says what is replied to a question, one reply after the other and the last again and again. Answers the question: one that is nobody else's, if none is given. */
  script(replies: readonly Reply[], question?: string): string
  timesAsked(question: string): number
}

export const advice = (text: string): ScriptedReply => ({ text: JSON.stringify({ advice: text }) })

/** A provider's refusal, in OpenAI's form. */
export const refusal = (
  status: number,
  message: string,
  { headers = {}, code = null }: { headers?: Readonly<Record<string, string>>; code?: string | null } = {},
): ScriptedReply => ({ status, headers, body: { error: { message, type: 'error', param: null, code } } })

/** A model that answers each question by a script of its own. */
export async function startCaseModel(): Promise<CaseModel> {
  const scripts = new Map<string, readonly Reply[]>()
  const timesAsked = (question: string) =>
    server.requests.filter((request) => questionOf(request) === question).length
  const server = await startScriptedModel({
    replies(request) {
      const question = questionOf(request)
      const script = scripts.get(question) ?? []
      const reply = script[Math.min(timesAsked(question), script.length) - 1]
      if (reply === undefined) throw new Error(`Nothing is scripted for ${question.slice(0, 50)}`)
      return typeof reply === 'function' ? reply() : reply
    },
  })
  return {
    url: server.url,
    close: server.close,
    timesAsked,
    script(replies, question = `question ${scripts.size + 1}`) {
      scripts.set(question, replies)
      return question
    },
  }
}

function questionOf({ messages }: RecordedRequest): string {
  const asked = messages.find(({ role }) => role === 'user')
  return JSON.parse(asked ? textOf(asked) : '{}').question
}
