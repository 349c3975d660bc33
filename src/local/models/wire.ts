import * as z from 'zod'

/**
 * What OpenAI's chat completions take, as far as an agent needs it
 * (https://platform.openai.com/docs/api-reference/chat/create). All objects are strict: the provider refuses
 * parameters that it does not know.
 */
const jsonObject = z.record(z.string(), z.unknown())
const legalName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const content = z.union([
  z.string(),
  z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1),
])

const callSchema = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: legalName, arguments: z.string() }),
})

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content, name: z.string().optional() }),
  z.strictObject({ role: z.literal('developer'), content, name: z.string().optional() }),
  z.strictObject({ role: z.literal('user'), content, name: z.string().optional() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    refusal: z.string().nullish(),
    name: z.string().optional(),
    tool_calls: z.array(callSchema).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string().min(1) }),
])

const toolSchema = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: legalName,
    description: z.string().max(1_024).optional(),
    parameters: jsonObject.optional(),
    strict: z.boolean().nullish(),
  }),
})

const responseFormatSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: legalName,
      description: z.string().optional(),
      schema: jsonObject.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const tokens = z.int().min(1).optional()

export const chatRequestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).min(1).max(128).optional(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), jsonObject]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormatSchema.optional(),
  max_completion_tokens: tokens,
  max_tokens: tokens,
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  user: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  store: z.boolean().optional(),
  n: z.literal(1).optional(),
  stream: z.literal(false).optional(),
})

/** A request as a client of chat completions sent it. */
export type ChatRequest = z.output<typeof chatRequestSchema>
export type ChatMessage = ChatRequest['messages'][number]
export type ChatTool = NonNullable<ChatRequest['tools']>[number]

/** The text of a message, whatever form it came in; blank when it has none. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content
  return (message.content ?? []).map((part) => part.text).join('')
}
