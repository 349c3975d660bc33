import { tool } from 'turnwise'
import { fanOut } from 'turnwise/builtin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { createRegistry } from '../../src/core/registry.ts'

const item = z.object({ part: z.string() })
const workerNamed = (name: string) =>
  tool({
    name,
    description: 'd',
    input: z.object({ instruction: z.string(), item }),
    output: z.string(),
  }).run(() => 'done')
const declaration = { name: 'each', description: 'd', item } as const

describe('N42 a fan-out is a doer over workers that its caller names', () => {
  it('refuses none', () => {
    expect(() => fanOut({ ...declaration, workers: [] })).toThrow('doer "each": it has no workers')
  })

  it('refuses two of one name', () => {
    const workers = [workerNamed('look'), workerNamed('turn'), workerNamed('look')]
    expect(() => fanOut({ ...declaration, workers })).toThrow(
      'doer "each": two of its workers are named "look"; a caller names one, so each has a name of its own',
    )
  })

  it('is registered with its workers', () => {
    const made = fanOut({ ...declaration, workers: [workerNamed('look'), workerNamed('turn')] })
    expect(
      createRegistry([made])
        .all.map(({ definition }) => definition.name)
        .sort(),
    ).toEqual(['each', 'look', 'turn'])
  })

  it('takes a worker named worker', () => {
    const made = fanOut({ ...declaration, workers: [workerNamed('worker')] })
    expect(JSON.stringify(compileDoer(made))).toContain('which worker')
  })
})
