import { type Conversation, isJsonObject, type JsonObject, type Outcome } from './conversation.ts'

const MOST_LISTED = 5

/**
 * One plain sentence on what came back, such as `order A-1007: status shipped, promised 2026-12-03`; failures
 * are told, not hidden.
 */
export function describeOutcomes({ outcomes, inputs, question }: Conversation): string {
  if (outcomes.length > 0) return outcomes.toReversed().map(describeOutcome).join('; ')
  const input = inputs.find((candidate) => !isQuestionAlone(candidate))
  if (input !== undefined) return describeObject(input)
  return question === '' ? 'There was no question' : `No tool here fits the question "${question}"`
}

function isQuestionAlone(input: JsonObject): boolean {
  const values = Object.values(input)
  return values.length === 1 && typeof values[0] === 'string'
}

function describeOutcome({ tool, failed, value }: Outcome): string {
  if (!failed) return describe(value)
  const cause = isJsonObject(value) ? (value.message ?? value.error) : value
  // The first line says what happened; what follows is advice to the model.
  return `${tool} failed: ${typeof cause === 'string' ? cause.split('\n')[0] : JSON.stringify(cause)}`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return describeList('results', value)
  if (isJsonObject(value)) return describeObject(value)
  return String(value)
}

/** The first id leads: `order A-1007: status shipped`; lists stand as a count and their first items. */
function describeObject(object: JsonObject): string {
  const entries = Object.entries(object).filter(([, value]) => value !== null && value !== '')
  const leadKey = entries.find(([key, value]) => isId(key) && isScalar(value))?.[0]
  const parts = entries.filter(([key]) => key !== leadKey).map(([key, value]) => describeField(key, value))
  if (leadKey === undefined) return parts.length > 0 ? parts.join(', ') : 'nothing came back'
  const lead = `${readable(leadKey)} ${String(object[leadKey])}`
  return parts.length > 0 ? `${lead}: ${parts.join(', ')}` : lead
}

function describeField(key: string, value: unknown): string {
  if (Array.isArray(value)) return describeList(readable(key), value)
  return `${readable(key)} ${isJsonObject(value) ? `(${describeObject(value)})` : String(value)}`
}

function describeList(name: string, items: readonly unknown[]): string {
  if (items.length === 0) return `no ${name}`
  const first = items.slice(0, MOST_LISTED).map(describeItem).join(', ')
  const rest = items.length - MOST_LISTED
  const counted = items.length === 1 ? `1 ${name.replace(/s$/, '')}` : `${items.length} ${name}`
  return `${counted} (${first}${rest > 0 ? ` and ${rest} more` : ''})`
}

function describeItem(item: unknown): string {
  return isJsonObject(item) ? Object.values(item).filter(isScalar).join(' ') : String(item)
}

function isId(key: string): boolean {
  return /(Number|Id|_number|_id)$/.test(key)
}

function isScalar(value: unknown): boolean {
  return value !== null && typeof value !== 'object'
}

/** `orderNumber` is an order, `customerId` a customer; other names only lose their camel case. */
function readable(key: string): string {
  const words = key.replace(/(Number|Id|_number|_id)$/, '').replace(/([a-z])([A-Z])/g, '$1 $2')
  return words.replaceAll('_', ' ').toLowerCase()
}
