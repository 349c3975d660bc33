import { createHash, randomBytes } from 'node:crypto'

/** A chain of requests with one more invocation in it. */
export interface ContinuedTrace {
  /**
   * For the function's `_X_AMZN_TRACE_ID`, from where the SDK puts it into each request that the function makes:
   * `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0;Lineage=a87bd80c:2|68fd508a:1`.
   */
  readonly header: string
  /** How often the chain has invoked the function, this invocation included. */
  readonly count: number
}

/**
 * Lambda's documentation, "Use Lambda recursive loop detection": a function that was invoked more than 16 times in one
 * chain of requests is not invoked again.
 */
export const MAXIMUM_IN_CHAIN = 16

/**
 * Counts an invocation of the function in the chain that `received` tells of, the request's `X-Amzn-Trace-Id`; without
 * one a chain begins. The counts are in `Lineage`, by function, as the X-Ray developer guide shows it.
 */
export function continueTrace(
  received: string | undefined,
  functionArn: string,
  nowMs: number,
): ContinuedTrace {
  const fields = parseFields(received ?? '')
  const counts = new Map(
    [...(fields.get('Lineage') ?? '').matchAll(/([0-9a-f]{8}):(\d+)/g)].map(([, id = '', count]) => [
      id,
      Number(count),
    ]),
  )
  const id = createHash('sha256').update(functionArn).digest('hex').slice(0, 8)
  const count = (counts.get(id) ?? 0) + 1
  counts.set(id, count)
  const root = fields.get('Root') ?? `1-${secondsHex(nowMs)}-${randomBytes(12).toString('hex')}`
  const lineage = [...counts].map((entry) => entry.join(':')).join('|')
  const parent = randomBytes(8).toString('hex')
  const header = `Root=${root};Parent=${parent};Sampled=${fields.get('Sampled') ?? '0'};Lineage=${lineage}`
  return { header, count }
}

function parseFields(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').map((field): [string, string] => {
    const [name = '', ...value] = field.split('=')
    return [name.trim(), value.join('=').trim()]
  })
  return new Map(pairs)
}

function secondsHex(nowMs: number): string {
  return Math.floor(nowMs / 1_000)
    .toString(16)
    .padStart(8, '0')
}
