import * as z from 'zod'
import { ExternalService } from '../core/errors.ts'
import type { Exchange, Message, ModelCall, Reply } from './types.ts'

const wireCall = z.object({
  id: z.string().nullish(),
  function: z.object({
    name: z.string(),
    // Some gateways give the object itself.
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
})
const wireChoice = z.object({
  finish_reason: z.string().nullish(),
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(wireCall).nullish(),
  }),
})
const wireReply = z.object({
  model: z.string().catch('unknown'),
  choices: z.array(wireChoice).nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish().catch(undefined),
  error: z
    .union([z.string(), z.object({ message: z.string() })])
    .nullish()
    .catch(undefined),
})
type WireCall = z.output<typeof wireCall>
type WireChoice = z.output<typeof wireChoice>
type WireReply = z.output<typeof wireReply>

/**
 * A provider's body as a reply. Gateways dress failures as success, so an `error`, no choice or an empty one
 * throws `ExternalService`. What was cut is recognised before anything else: cut messages are often empty.
 */
export function readReply(body: unknown, request: Exchange): Reply {
  const parsed = wireReply.safeParse(body)
  if (!parsed.success)
    throw new ExternalService('LLM', `an unreadable reply: ${z.prettifyError(parsed.error)}`)
  const { error, choices, model } = parsed.data
  if (error !== undefined && error !== null && error !== '')
    throw new ExternalService('LLM', typeof error === 'string' ? error : error.message)
  const choice = choices?.[0]
  if (choice === undefined) throw new ExternalService('LLM', 'a reply without a choice')
  return { ...readChoice(choice, request.messages), usage: readUsage(parsed.data, request), model }
}

function readChoice(
  { finish_reason, message }: WireChoice,
  history: readonly Message[],
): Pick<Reply, 'text' | 'calls' | 'stop'> {
  const text = message.content ?? ''
  const refusal = message.refusal ?? ''
  const wireCalls = message.tool_calls ?? []
  if (finish_reason === 'length') return { text, calls: [], stop: 'cut' }
  if (refusal !== '') return { text: refusal, calls: [], stop: 'refused' }
  if (finish_reason === 'content_filter')
    return { text: text || 'stopped by the content filter', calls: [], stop: 'refused' }
  if (finish_reason === 'error')
    throw new ExternalService('LLM', `the provider stopped with an error: ${text}`)
  // Not all providers say `tool_calls` as the reason, so the calls themselves count.
  if (wireCalls.length > 0) return { text, calls: readCalls(wireCalls, history), stop: 'calls' }
  if (text.trim() === '') throw new ExternalService('LLM', 'an empty reply')
  return { text, calls: [], stop: 'answer' }
}

/**
 * Gateways leave ids out, blank, or use `call_0` again in each turn; such a call gets an id that follows from
 * its place.
 */
function readCalls(wireCalls: readonly WireCall[], history: readonly Message[]): ModelCall[] {
  const taken = new Set(
    history.flatMap((message) => (message.role === 'assistant' ? message.calls : [])).map((call) => call.id),
  )
  return wireCalls.map((call, index) => {
    const given = call.id?.trim() ?? ''
    const id = given !== '' && !taken.has(given) ? given : freeId(`call_${history.length}_${index}`, taken)
    taken.add(id)
    return { id, name: call.function.name, arguments: toText(call.function.arguments) }
  })
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeId(`${wanted}_`, taken) : wanted
}

function toText(given: WireCall['function']['arguments']): string {
  if (given === null || given === undefined) return '{}'
  if (typeof given !== 'string') return JSON.stringify(given)
  return given.trim() === '' ? '{}' : given
}

function readUsage({ usage, choices }: WireReply, request: Exchange): Reply['usage'] {
  if (usage) return { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }
  const inputTokens = estimateTokens([request.messages, request.tools, request.answer])
  return { inputTokens, outputTokens: estimateTokens(choices?.[0]?.message), estimated: true }
}

function estimateTokens(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4)
}
