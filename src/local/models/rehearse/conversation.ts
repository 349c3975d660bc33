import { FAILURE_NAMES } from '../../../core/errors.ts'
import { parseJsonText } from '../../../model/json-text.ts'
import { type ChatMessage, textOf } from '../wire.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A call that has come back. `value` is the result's JSON, or its text where it is none. */
export interface Outcome {
  readonly tool: string
  readonly arguments: JsonObject
  readonly failed: boolean
  readonly value: unknown
}

/** What the policy sees of a request. */
export interface Conversation {
  /** What the user said last, in words: texts within JSON without their keys. */
  readonly question: string
  /** All that the user said, the last message first. */
  readonly asked: string
  /** The inputs that came as JSON objects, the last first. */
  readonly inputs: readonly JsonObject[]
  /** The calls that have come back, the last first. */
  readonly outcomes: readonly Outcome[]
  /** Something has come back since the last user message. */
  readonly isAnswered: boolean
}

export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const userMessages = messages
    .filter((message) => message.role === 'user')
    .map(textOf)
    .reverse()
  const values = userMessages.map(readValue)
  const words = values.map((value) => textsIn(value).join(' '))
  return {
    question: words[0] ?? '',
    asked: words.join('\n'),
    inputs: values.filter(isJsonObject),
    outcomes: readOutcomes(messages).reverse(),
    isAnswered: messages.at(-1)?.role === 'tool',
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All texts and numbers in a value, in order. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return []
}

function readOutcomes(messages: readonly ChatMessage[]): Outcome[] {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  )
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return []
    const call = calls.find((candidate) => candidate.id === message.tool_call_id)
    const given = readValue(call?.function.arguments ?? '')
    const value = readValue(textOf(message))
    const tool = call?.function.name ?? 'a tool'
    return [{ tool, arguments: isJsonObject(given) ? given : {}, failed: isFailure(value), value }]
  })
}

function readValue(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return text
  }
}

const FAILURE_TEXT = new RegExp(`^\\W*(error\\b|failed\\b|(${FAILURE_NAMES.join('|')})\\b)`, 'i')

/** A failure comes as text that starts with its name, or as an object that holds an error. */
function isFailure(value: unknown): boolean {
  if (typeof value === 'string') return FAILURE_TEXT.test(value)
  if (!isJsonObject(value)) return false
  const isNamed = FAILURE_NAMES.some((name) => name === value.name) && typeof value.message === 'string'
  return isNamed || (value.error !== undefined && value.error !== null)
}
