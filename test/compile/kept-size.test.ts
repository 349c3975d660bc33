import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { keptSize } from '../../src/compile/payload/kept-size.ts'
import { sizeOfSchema } from '../../src/compile/payload/size-of-schema.ts'
import type { StepNode } from '../../src/core/doer-plan.ts'
import type { Keep } from '../../src/core/keep.ts'
import { cutAnswer } from '../../src/runtime/cut-answer.ts'
import { stepCall } from '../../src/store/keys.ts'

const schema = z.object({
  id: z.string().max(2_000),
  orders: z.array(z.object({ total: z.number(), note: z.string().max(1_500) })).max(20),
})
const output: fc.Arbitrary<z.output<typeof schema>> = fc.record({
  id: fc.string({ maxLength: 2_000, unit: 'binary-ascii' }).map(printable),
  orders: fc.array(
    fc.record({
      total: fc.double({ noNaN: true, noDefaultInfinity: true }),
      note: fc.string({ maxLength: 1_500, size: 'max', unit: fc.constantFrom('漢', 'x') }),
    }),
    { maxLength: 20, size: 'max' },
  ),
})
/** Control characters, which JSON writes in six bytes, are not reckoned with. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}"\\]/gu, 'x')
}

const KEEPS: readonly Keep[] = [
  'inline',
  'passed',
  {},
  { fields: { id: 'passed' } },
  { whole: true, fields: { id: 'inline' } },
  { fields: { orders: { items: 'passed' } } },
  { fields: { orders: { items: { whole: true, fields: { total: 'inline' } } } } },
  { fields: { id: 'passed', orders: { items: { fields: { note: 'passed', total: 'passed' } } } } },
]
const step = { name: 'load all of it' } as StepNode // nothing else of it is looked at

describe('W5 what a machine carries of a step’s output', () => {
  it.each(KEEPS)('is never more than is computed from its schema: %j', (keep) => {
    fc.assert(
      fc.property(output, fc.constantFrom(200, 2_000, 16_384), (value, mostBytes) => {
        const wanted = { keep, mostBytes }
        const address = stepCall('run', { number: 12, name: step.name, indexes: [99_999] })
        const answer = cutAnswer(value, address, wanted)
        const sizeBytes = 'output' in answer ? Buffer.byteLength(JSON.stringify(answer.output)) : 0
        const { bytes = 0 } = keptSize(sizeOfSchema(schema), wanted, step, 1)
        expect(sizeBytes).toBeLessThanOrEqual(bytes)
      }),
      { numRuns: 60, seed: 3 },
    )
  })
})
