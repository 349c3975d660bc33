import { type ModelReply, type ModelServer, startModelServer } from './model-server.ts'
import type { ChatRequest } from './wire.ts'

export type ScriptedReply = ModelReply
export type RecordedRequest = ChatRequest

/**
 * A list of replies, played in order, one for each accepted request; or a function that answers by content,
 * for many runs at once. The openai client repeats a request after 429 and 5xx, so a list needs such a reply
 * as often as it tries (three times).
 */
export type Script =
  | readonly ScriptedReply[]
  | ((request: RecordedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>)

/**
 * A model for tests: it plays its script, records all that it is asked, and refuses with 400 what real
 * providers refuse. A script that is over refuses, too.
 */
export function startScriptedModel({
  replies,
  port = 0,
}: {
  replies: Script
  port?: number
}): Promise<ModelServer> {
  const reply = (request: RecordedRequest, index: number) => {
    if (typeof replies === 'function') return replies(request, index)
    const scripted = replies[index]
    if (scripted !== undefined) return scripted
    throw new Error(`The script has ${replies.length} replies, and this is request ${index + 1}`)
  }
  return startModelServer({ model: 'scripted', port, reply })
}
