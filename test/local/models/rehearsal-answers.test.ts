import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import * as z from 'zod'
import { writeAnswer } from '../../../src/local/models/rehearse/answer.ts'
import { readConversation } from '../../../src/local/models/rehearse/conversation.ts'
import { answerSchema } from '../../../src/model/json-schema.ts'

const leaf = fc.constantFrom<z.ZodType>(
  ...[z.string(), z.string().max(3), z.string().min(300), z.string().regex(/^C-\d{2}$/)],
  ...[z.iso.datetime(), z.email(), z.url(), z.number(), z.int().min(5), z.number().max(-2), z.boolean()],
  ...[z.enum(['a', 'shipped']), z.literal(3), z.null(), z.unknown(), z.record(z.string(), z.number())],
)
const name = fc.constantFrom('orderNumber', 'status', 'answer', 'orders', 'total', 'other')

const { type } = fc.letrec<{ type: z.ZodType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('type').map((inner) => inner.nullable()),
    tie('type').map((inner) => z.array(inner)),
    tie('type').map((inner) => z.array(inner).min(2).max(3)),
    fc.tuple(tie('type'), tie('type')).map((branches) => z.union(branches)),
    fc.dictionary(name, tie('type')).map((shape) => z.object(shape)),
    fc.dictionary(name, tie('type')).map((shape) => z.object(shape).partial()),
  ),
}))

const calls = [
  {
    id: 'a',
    type: 'function' as const,
    function: { name: 'list_orders', arguments: '{"customerId":"C-07"}' },
  },
]
const orders = '{"orders":[{"orderNumber":"A-1001","status":"shipped","total":4.5}],"status":null}'
const conversation = readConversation([
  { role: 'user', content: '{"question":"Where are the 12 orders of C-07?","total":3}' },
  { role: 'assistant', tool_calls: calls },
  { role: 'tool', tool_call_id: 'a', content: orders },
])

describe('an answer of the rehearsal model', () => {
  it('parses by the schema that was asked for, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(name, type), (shape) => {
        const output = z.object(shape)
        output.parse(writeAnswer(answerSchema({ kind: 'thinker', name: 'probe', output }), conversation))
      }),
      { numRuns: 100 },
    )
  })
})
