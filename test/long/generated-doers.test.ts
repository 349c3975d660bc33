import validate from 'asl-validator'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { runGenerated } from '../support/doers/run-generated.ts'

const SEED = Number(process.env.TURNWISE_SEED ?? 1)
const RUN = 500
const VALIDATED = 20

describe('N31 the compiled machines of generated doers', () => {
  it(`give what their plans give, ${RUN} of ${RUN}`, () => runGenerated(RUN, SEED))

  it('are accepted by asl-validator', () => {
    const doers = fc.sample(generatedDoer, { numRuns: VALIDATED, seed: SEED })
    const refused = doers.map((doer) => validate(compileDoer(doer))).filter(({ isValid }) => !isValid)
    expect(refused).toEqual([])
  })
})
