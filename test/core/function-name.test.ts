import { describe, expect, it } from 'vitest'
import { functionName, machineName } from '../../src/core/function-name.ts'

describe('the names of functions and machines', () => {
  it('are the prefix and the id', () => {
    expect(functionName('shop-dev', 'tool-order_status')).toBe('shop-dev-tool-order_status')
    expect(machineName('shop-dev', 'customer_report')).toBe('shop-dev-customer_report')
  })

  it('stay whole at the limit', () => {
    expect(functionName('shop', 'x'.repeat(59))).toBe(`shop-${'x'.repeat(59)}`)
    expect(machineName('shop', 'x'.repeat(75))).toBe(`shop-${'x'.repeat(75)}`)
  })

  it('are cut past it, and end in a hash of the whole that is the same for ever', () => {
    const name = functionName('shop', `tool-${'x'.repeat(64)}`)
    expect(name).toMatchInlineSnapshot(`"shop-tool-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-fnpmuz6h8hr5"`)
    expect(name).toHaveLength(64)
    expect(machineName('shop', 'x'.repeat(90))).toHaveLength(80)
  })

  it('differ where what was cut off differs', () => {
    const long = 'tool-'.padEnd(70, 'x')
    expect(functionName('shop', `${long}a`)).not.toBe(functionName('shop', `${long}b`))
  })
})
