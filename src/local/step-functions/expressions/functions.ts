import { createHash } from 'node:crypto'
import { evaluateExpression } from './compile-expression.ts'

/** What the functions of Step Functions take from outside, so that tests decide it. */
export interface Sources {
  nowMs(): number
  /** From 0 to below 1. */
  random(): number
  uuid(): string
}

const HASHES = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])
const MAXIMUM_RANGE_LENGTH = 1_000

/** The functions that Step Functions adds to JSONata, and those of JSONata whose time or chance come from `sources`. `$eval` is not there, as on AWS. */
export function createFunctions(sources: Sources): Record<string, unknown> {
  return {
    partition,
    range,
    hash,
    parse,
    uuid: () => sources.uuid(),
    random: (seed?: unknown) => (seed === undefined ? sources.random() : seededRandom(seed)),
    millis: () => sources.nowMs(),
    now: (picture?: string, timezone?: string) =>
      evaluateExpression('$fromMillis($time, $picture, $timezone)', {
        time: sources.nowMs(),
        picture,
        timezone,
      }),
    eval: undefined,
  }
}

function partition(values: unknown, size: unknown): unknown {
  if (values === undefined) return undefined
  if (!Number.isInteger(size) || Number(size) < 1)
    throw new Error(`$partition: the size must be a whole number above 0, not ${JSON.stringify(size)}`)
  const list = Array.isArray(values) ? values : [values]
  const chunks: unknown[] = []
  for (let start = 0; start < list.length; start += Number(size))
    chunks.push(list.slice(start, start + Number(size)))
  return chunks
}

/** From `first` to `last`, both included. A range of one is that number, as on AWS. */
function range(first: unknown, last: unknown, step: unknown = 1): unknown {
  if (typeof first !== 'number' || typeof last !== 'number' || typeof step !== 'number')
    throw new Error('$range: first, last and step must be numbers')
  if (step === 0) throw new Error('$range: the step must not be 0')
  const length = Math.floor((last - first) / step) + 1
  if (length > MAXIMUM_RANGE_LENGTH)
    throw new Error(`$range: ${length} numbers are more than ${MAXIMUM_RANGE_LENGTH}`)
  const values = Array.from({ length: Math.max(length, 0) }, (_, index) => first + index * step)
  return values.length === 1 ? values[0] : values
}

function hash(data: unknown, algorithm: unknown): unknown {
  if (data === undefined) return undefined
  const name = typeof algorithm === 'string' ? HASHES.get(algorithm) : undefined
  if (name === undefined)
    throw new Error(
      `$hash: unknown algorithm ${JSON.stringify(algorithm)}; known: ${[...HASHES.keys()].join(', ')}`,
    )
  return createHash(name)
    .update(typeof data === 'string' ? data : JSON.stringify(data))
    .digest('hex')
}

function parse(text: unknown): unknown {
  if (text === undefined) return undefined
  if (typeof text !== 'string') throw new Error(`$parse: expected text, not ${JSON.stringify(text)}`)
  return JSON.parse(text)
}

/** One step of mulberry32: the same seed gives the same number, though not the one that AWS gives. */
function seededRandom(seed: unknown): number {
  if (typeof seed !== 'number')
    throw new Error(`$random: the seed must be a number, not ${JSON.stringify(seed)}`)
  const mixed = (Math.trunc(seed) + 0x6d2b79f5) | 0
  const once = Math.imul(mixed ^ (mixed >>> 15), 1 | mixed)
  const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once
  return ((twice ^ (twice >>> 14)) >>> 0) / 4_294_967_296
}
