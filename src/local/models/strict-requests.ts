import type * as z from 'zod'
import { strictProblem } from '../../model/strict-schema.ts'
import { type ChatMessage, type ChatRequest, chatRequestSchema, textOf } from './wire.ts'

/**
 * What a provider would answer with 400: `message` says what is wrong, `param` where
 * (`messages[2].tool_calls`).
 */
export interface Refusal {
  readonly message: string
  readonly param: string | null
}
export type Examined =
  | { readonly kind: 'accepted'; readonly request: ChatRequest }
  | ({ readonly kind: 'refused' } & Refusal)

/** Judges a request body as strictly as the strictest providers do; the first fault is named. */
export function examineRequest(body: unknown): Examined {
  const parsed = chatRequestSchema.safeParse(body)
  if (!parsed.success) return { kind: 'refused', ...shapeRefusal(parsed.error) }
  const request = parsed.data
  const refusal = historyRefusal(request.messages) ?? toolsRefusal(request) ?? answerRefusal(request)
  return refusal === undefined ? { kind: 'accepted', request } : { kind: 'refused', ...refusal }
}

function shapeRefusal(error: z.ZodError): Refusal {
  const issue = error.issues[0]
  const path = (issue?.path ?? []).map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  )
  const param = path.join('').replace(/^\./, '')
  if (issue?.code === 'unrecognized_keys')
    return { message: `Unknown parameter: '${[param, issue.keys[0]].filter(Boolean).join('.')}'.`, param }
  return { message: `Invalid value for '${param}': ${issue?.message ?? 'unreadable'}.`, param }
}

/**
 * Each assistant message with calls is followed right away by one tool message for each, and no tool message
 * stands elsewhere.
 */
function historyRefusal(messages: readonly ChatMessage[]): Refusal | undefined {
  const seen = new Set<string>()
  const open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue
      const problem = `a tool message must follow the assistant message whose tool_calls hold '${message.tool_call_id}', once`
      return { message: `Invalid parameter: ${problem}.`, param }
    }
    if (open.size > 0) return unanswered(open, param)
    if (message.role !== 'assistant') continue
    const refusal = assistantRefusal(message, seen, param)
    if (refusal !== undefined) return refusal
    for (const call of message.tool_calls ?? []) open.add(call.id)
  }
  return open.size > 0 ? unanswered(open, `messages[${messages.length}]`) : undefined
}

function unanswered(open: ReadonlySet<string>, param: string): Refusal {
  const ids = [...open].join(', ')
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${ids}.`
  return { message, param }
}

function assistantRefusal(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  seen: Set<string>,
  param: string,
): Refusal | undefined {
  const calls = message.tool_calls ?? []
  if (calls.length === 0 && textOf(message) === '' && !message.refusal)
    return {
      message: `Invalid value for '${param}.content': an assistant message needs content or tool_calls.`,
      param,
    }
  for (const [index, call] of calls.entries()) {
    const place = `${param}.tool_calls[${index}]`
    if (seen.has(call.id))
      return { message: `Duplicate value for 'tool_call_id': '${call.id}'.`, param: `${place}.id` }
    seen.add(call.id)
    if (!isJsonObject(call.function.arguments))
      return { message: 'Tool call arguments must be a JSON object.', param: `${place}.function.arguments` }
  }
  return undefined
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function toolsRefusal({ tools = [] }: ChatRequest): Refusal | undefined {
  const names = new Set<string>()
  for (const [index, { function: offered }] of tools.entries()) {
    const param = `tools[${index}].function`
    if (names.has(offered.name))
      return { message: `Tool names must be unique: '${offered.name}'.`, param: `${param}.name` }
    names.add(offered.name)
    const parameters = offered.parameters ?? { type: 'object', properties: {} }
    const problem = offered.strict ? strictProblem(parameters) : looseProblem(parameters)
    if (problem !== undefined)
      return {
        message: `Invalid schema for function '${offered.name}': ${problem}.`,
        param: `${param}.parameters`,
      }
  }
  return undefined
}

function answerRefusal(request: ChatRequest): Refusal | undefined {
  if (request.max_tokens !== undefined && request.max_completion_tokens !== undefined)
    return { message: "Set either 'max_tokens' or 'max_completion_tokens', not both.", param: 'max_tokens' }
  if (request.response_format?.type !== 'json_schema') return undefined
  const { name, schema = {}, strict } = request.response_format.json_schema
  const problem = strict ? strictProblem(schema) : looseProblem(schema)
  if (problem === undefined) return undefined
  return { message: `Invalid schema for response_format '${name}': ${problem}.`, param: 'response_format' }
}

/** Without `strict` a schema may hold what it likes, yet it describes an object and says so. */
function looseProblem(schema: Record<string, unknown>): string | undefined {
  if (schema.type !== 'object')
    return `schema must be a JSON Schema of 'type: "object"', got ${JSON.stringify(schema.type)}`
  return typeof schema.properties === 'object' ? undefined : 'object schema missing properties'
}
