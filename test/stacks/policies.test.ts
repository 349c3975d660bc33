import { describe, expect, it } from 'vitest'
import { divideIntoPolicies } from '../../stacks/policies.ts'

const invoking = (count: number) => ({
  actions: ['lambda:InvokeFunction'],
  resources: Array.from(
    { length: count },
    (_, index) => `arn:aws:lambda:us-east-1:123456789012:function:${String(index).padStart(64, 'f')}`,
  ),
})
const reading = {
  actions: ['dynamodb:GetItem'],
  resources: ['arn:aws:dynamodb:us-east-1:123456789012:table/runs'],
}

describe('the policies of a role', () => {
  it('are one as long as it holds all', () => {
    expect(divideIntoPolicies([reading, invoking(20)])).toEqual([[reading, invoking(20)]])
  })

  it('of a large palette are several that IAM takes, 6,144 characters each, and allow all the same', () => {
    const policies = divideIntoPolicies([reading, invoking(300)])
    expect(policies.every((policy) => JSON.stringify(policy).length < 6_144)).toBe(true)
    // Ten managed policies are all that a role takes, one of which is for its log.
    expect(policies.length).toBeLessThanOrEqual(9)
    expect(policies.flat().flatMap(({ resources }) => resources)).toEqual([
      ...reading.resources,
      ...invoking(300).resources,
    ])
  })
})
