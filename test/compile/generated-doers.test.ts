import { describe, it } from 'vitest'
import { runGenerated } from '../support/doers/run-generated.ts'

describe('N31 a compiled machine', () => {
  it('gives what its plan gives, for generated doers', () => runGenerated(40, 1))
})
