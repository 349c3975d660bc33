import { describe, expect, it } from 'vitest'
import type { FaultyInvocation } from '../../../src/local/lambda/faults.ts'
import { createRandomFaults } from '../../../src/local/stack/random-faults.ts'

const invocation = (number: number, type: FaultyInvocation['type'] = 'Event'): FaultyInvocation => ({
  functionName: 'order_status',
  qualifier: undefined,
  type,
  requestId: `request-${number}`,
  payload: '{}',
  number,
})
const thousandOf = (seed: number, type?: FaultyInvocation['type']) => {
  const faults = createRandomFaults(seed, () => {})
  return Array.from({ length: 1_000 }, (_, index) => faults(invocation(index + 1, type)))
}

describe('random faults', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(thousandOf(7)).toEqual(thousandOf(7))
    expect(thousandOf(7)).not.toEqual(thousandOf(8))
  })

  it('let most invocations pass, and have each kind of fault', () => {
    const kinds = thousandOf(7).map((fault) => fault?.kind ?? 'none')
    expect(new Set(kinds)).toEqual(new Set(['none', 'delay', 'double', 'lose', 'refuse']))
    expect(kinds.filter((kind) => kind === 'none').length).toBeGreaterThan(750)
    expect(new Set(thousandOf(7, 'RequestResponse').map((fault) => fault?.kind))).toContain('lose-answer')
  })

  it('are told with the request that they befall', () => {
    const lines: string[] = []
    const faults = createRandomFaults(7, (line) => lines.push(line))
    const hit = Array.from({ length: 50 }, (_, index) => invocation(index + 1)).filter(faults)
    expect(lines.length).toBe(hit.length)
    expect(lines[0]).toContain(`[fault] order_status ${hit[0]?.requestId}: {"kind":`)
  })
})
