import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { type CatalogEntry, outputTokens } from './catalog.ts'
import { parseJsonText } from './json-text.ts'
import { strictProblem } from './strict-schema.ts'
import type { Exchange, Message, ModelCall, ToolOffer } from './types.ts'

/**
 * The exchange as a body of chat completions. What has no value is left out, since many compatible servers
 * refuse what they do not know.
 */
export function toChatRequest(
  exchange: Exchange,
  entry: CatalogEntry,
): ChatCompletionCreateParamsNonStreaming {
  const { name, schema } = exchange.answer
  return {
    model: entry.model,
    messages: exchange.messages.flatMap(toWireMessage),
    ...(exchange.tools.length > 0 && { tools: exchange.tools.map(toWireTool) }),
    response_format: { type: 'json_schema', json_schema: { name, schema, ...strictIfFit(schema) } },
    [entry.maxTokensParameter]: outputTokens(exchange.outputSize, entry),
    ...(entry.reasoningEffort !== undefined && { reasoning_effort: entry.reasoningEffort }),
  }
}

function toWireTool({ name, description, parameters }: ToolOffer): ChatCompletionFunctionTool {
  // OpenAI wants `properties` even where there are none; JSON schema does not.
  const adapted = { type: 'object', properties: {}, ...parameters }
  return { type: 'function', function: { name, description, parameters: adapted, ...strictIfFit(adapted) } }
}

function strictIfFit(schema: Record<string, unknown>): { strict?: true } {
  return strictProblem(schema) === undefined ? { strict: true } : {}
}

/**
 * An assistant message that says nothing (a reply cut before its first word) is left out: providers refuse
 * it.
 */
function toWireMessage(message: Message): ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.text }]
    case 'tool':
      return [{ role: 'tool', tool_call_id: message.callId, content: message.text }]
    case 'assistant': {
      if (message.text.trim() === '' && message.calls.length === 0) return []
      const content = message.text.trim() === '' ? null : message.text
      if (message.calls.length === 0) return [{ role: 'assistant', content }]
      return [{ role: 'assistant', content, tool_calls: message.calls.map(toWireCall) }]
    }
  }
}

function toWireCall({ id, name, arguments: text }: ModelCall) {
  return {
    id,
    type: 'function' as const,
    function: { name: toLegalName(name), arguments: toObjectText(text) },
  }
}

/**
 * A name that the model made up may be one that the provider refuses in a history (`functions.order status`).
 */
function toLegalName(name: string): string {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
  return legal === '' ? 'unnamed' : legal
}

/**
 * Providers want a JSON object as arguments in a history; what the model wrote instead goes along as text, so
 * that it can see its mistake.
 */
function toObjectText(text: string): string {
  try {
    const value = parseJsonText(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return JSON.stringify(value)
  } catch {
    // Malformed: shown below.
  }
  return text.trim() === '' ? '{}' : JSON.stringify({ unreadable: text })
}
