import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { validated } from '../compile/validated.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { proveWithin, runGenerated } from '../support/doers/run-generated.ts'

const SEED = Number(process.env.TURNWISE_SEED ?? 1)
const RUN = 500
const SPLIT = 120
const VALIDATED = 20

describe('N31 the compiled machines of generated doers', () => {
  it(`give what their plans give, ${RUN} of ${RUN}`, async () => {
    await runGenerated(RUN, SEED)
  })

  it(`give it also where they are split, ${SPLIT} of ${SPLIT}`, async () => {
    await runGenerated(SPLIT, SEED + 1, 200)
  })

  it('are accepted by asl-validator', () => {
    const doers = fc.sample(generatedDoer, { numRuns: VALIDATED, seed: SEED })
    const machines = doers.flatMap((doer) => [compileDoer(doer), proveWithin(doer, 200).machine])
    const refused = machines.map((machine) => validated(machine)).filter(({ isValid }) => !isValid)
    expect(refused).toEqual([])
  })
})
