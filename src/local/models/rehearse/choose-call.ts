import type { ChatTool } from '../wire.ts'
import type { Conversation, JsonObject } from './conversation.ts'
import { findByName, findInText } from './find.ts'
import { alternatives, fieldsOf, isNullable, isNumeric, type Schema } from './schema.ts'
import { mentions, topicWords } from './words.ts'

interface Candidate {
  readonly name: string
  readonly arguments: JsonObject
  readonly score: number
}

/**
 * The call that fits the question best, or undefined when none does. A tool fits when each required parameter
 * has a value in the question, when it has not been called so before, and, if it may change things, when the
 * question asks for that. Among several, the most words in common win, those of the name counting double;
 * then the earlier offer.
 */
export function chooseCall(
  tools: readonly ChatTool[],
  conversation: Conversation,
): Pick<Candidate, 'name' | 'arguments'> | undefined {
  const candidates = tools.flatMap((tool) => toCandidate(tool, conversation) ?? [])
  return candidates.reduce<Candidate | undefined>(
    (best, next) => (best && best.score >= next.score ? best : next),
    undefined,
  )
}

function toCandidate({ function: tool }: ChatTool, conversation: Conversation): Candidate | undefined {
  const { name, description = '', parameters = {} } = tool
  if (!isReadOnly(description) && !isAskedFor(name, parameters, conversation)) return undefined
  const filled = fillParameters(parameters, conversation)
  if (filled === undefined || wasCalled(name, filled, conversation)) return undefined
  const score =
    2 * countAsked(topicWords(name), conversation) + countAsked(topicWords(description), conversation)
  return { name, arguments: filled, score }
}

/** The runtime marks a callable that changes nothing with `[read-only]`; all else may change things. */
function isReadOnly(description: string): boolean {
  return /\bread-only\b/i.test(description)
}

/**
 * The question holds a word of the name that says what is done, not to what: `refund` of `refund_order`,
 * whose parameters hold `order`.
 */
function isAskedFor(name: string, parameters: Schema, conversation: Conversation): boolean {
  const objects = topicWords(
    fieldsOf(parameters)
      .map((field) => field.name)
      .join(' '),
  )
  const words = [...topicWords(name)]
  const verbs = words.filter((word) => !objects.has(word))
  return countAsked(new Set(verbs.length > 0 ? verbs : words), conversation) > 0
}

/** Parameters that take a question as it is. */
const WHOLE_QUESTION = new Set(['question', 'query', 'text', 'message', 'prompt'])

function fillParameters(parameters: Schema, conversation: Conversation): JsonObject | undefined {
  const filled: Record<string, unknown> = {}
  for (const { name, schema, required } of fieldsOf(parameters)) {
    const value = findParameter(name, schema, required, parameters, conversation)
    if (value !== undefined) filled[name] = value
    else if (required && isNullable(schema, parameters)) filled[name] = null
    else if (required) return undefined
  }
  return filled
}

function findParameter(
  name: string,
  schema: unknown,
  required: boolean,
  root: Schema,
  { question, asked, inputs }: Conversation,
): unknown {
  const [first] = alternatives(schema, root)
  const given = findByName(name, schema, root, inputs)
  if (given !== undefined) return given
  // A stray number says nothing about a limit that may be left out.
  if (!required && first !== undefined && isNumeric(first)) return undefined
  const found = findInText(schema, root, question) ?? findInText(schema, root, asked)
  if (found !== undefined) return found
  return required && WHOLE_QUESTION.has(name) && first?.type === 'string' ? question : undefined
}

function wasCalled(name: string, filled: JsonObject, { outcomes }: Conversation): boolean {
  const wanted = JSON.stringify(filled)
  return outcomes.some((outcome) => outcome.tool === name && JSON.stringify(outcome.arguments) === wanted)
}

/** How many of these words, or synonyms of theirs, the question holds. */
function countAsked(words: ReadonlySet<string>, { question }: Conversation): number {
  const asked = topicWords(question)
  return [...words].filter((word) => asked.has(word) || mentions(question, word)).length
}
