import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'

/** Where executions recorded on AWS lie, beside the project, on machines that have them; TURNWISE_RECORDED_CASES names another file. */
const RECORDED_CASES =
  process.env.TURNWISE_RECORDED_CASES ??
  resolve(import.meta.dirname, '../../../../shared/conformance/asl-jsonata-cases.json')

const recordedEvent = z.object({
  id: z.number(),
  prev: z.number(),
  type: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
const recordedCase = z.object({
  name: z.string(),
  type: z.enum(['STANDARD', 'EXPRESS']),
  definition: z.record(z.string(), z.unknown()),
  input: z.unknown(),
  taskScript: z
    .array(
      z.object({
        resourceType: z.string(),
        result: z.object({
          output: z.unknown().optional(),
          error: z.string().optional(),
          cause: z.unknown().optional(),
        }),
      }),
    )
    .default([]),
  expectedStatus: z.string(),
  expectedOutput: z.unknown().optional(),
  expectedError: z.string().nullish(),
  expectedCause: z.unknown().optional(),
  expectedEvents: z.array(recordedEvent).default([]),
  features: z.array(z.string()),
})
export type RecordedCase = z.output<typeof recordedCase>

/** Undefined where the file is absent. */
export function readRecordedCases(): RecordedCase[] | undefined {
  if (!existsSync(RECORDED_CASES)) return undefined
  return z.object({ cases: z.array(recordedCase) }).parse(JSON.parse(readFileSync(RECORDED_CASES, 'utf8')))
    .cases
}

/** What differs from run to run, or is not recorded. */
const NOT_COMPARED = new Set([
  'inputDetails',
  'outputDetails',
  'roleArn',
  'SdkHttpMetadata',
  'SdkResponseMetadata',
])

/** JSON texts become what they hold, so that a text and its parsed form compare equal; what is not compared is left out. */
export function normalise(value: unknown): unknown {
  if (typeof value === 'string') {
    try {
      return normalise(JSON.parse(value))
    } catch {
      return value
    }
  }
  // JSON knows no −0, and a text that holds one is not to differ from it.
  if (typeof value === 'number') return value + 0
  if (Array.isArray(value)) return value.map(normalise)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => item !== undefined && !NOT_COMPARED.has(key))
      .map(([key, item]) => [key, normalise(item)]),
  )
}

/** A recorded value where what was found stands wherever a placeholder (`<uuid:1>`, a bare `date`) admits it: equal if all else is. */
export function fillPlaceholders(recorded: unknown, found: unknown): unknown {
  if (typeof recorded === 'string') return admits(recorded, found) ? found : recorded
  if (Array.isArray(recorded))
    return recorded.map((item, index) =>
      fillPlaceholders(item, Array.isArray(found) ? found[index] : undefined),
    )
  if (typeof recorded !== 'object' || recorded === null) return recorded
  const members = typeof found === 'object' && found !== null ? new Map(Object.entries(found)) : new Map()
  return Object.fromEntries(
    Object.entries(recorded).map(([key, item]) => [key, fillPlaceholders(item, members.get(key))]),
  )
}

function admits(recorded: string, found: unknown): boolean {
  if (typeof found !== 'string') return false
  if (recorded === 'date' || recorded === 'timestamp') return true
  const literals = recorded.split(/<[^>]*>/).map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return literals.length > 1 && new RegExp(`^${literals.join('.*')}$`, 's').test(found)
}
