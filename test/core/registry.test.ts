import { doer, thinker, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../src/core/registry.ts'

const nothing = { description: 'Does it', input: z.object({}), output: z.null() }
const plainTool = (name: string) => tool({ ...nothing, name }).run(() => null)
const agent = (name: string, palette: Parameters<typeof thinker>[0]['palette']) =>
  thinker({ ...nothing, name, grade: 'small', outputSize: 'compact', instructions: 'Do it.', palette })

const refund = plainTool('refund_order')
const status = plainTool('order_status')
const helper = agent('helper', [refund])
const orderAgent = agent('order_agent', [status, helper])
const report = doer({ ...nothing, name: 'report' }).plan((d) => {
  d.step('look up', status, {})
  return d.step('help', helper, {})
})

describe('N34 the palette is the registration', () => {
  it('reaches what agents offer, with the path to each, and nothing else', () => {
    const { all, agents } = createRegistry([orderAgent, report])
    expect(all.map(({ definition, path }) => [definition.name, path])).toEqual([
      ['helper', 'order_agent → palette → helper'],
      ['order_agent', 'order_agent'],
      ['order_status', 'order_agent → palette → order_status'],
      ['refund_order', 'order_agent → palette → helper → palette → refund_order'],
      ['report', 'report'],
    ])
    expect(agents).toEqual([orderAgent, report])
  })

  it("names the step when a doer's step reaches a definition", () => {
    const [first] = createRegistry([report]).all
    expect(first?.path).toBe('report → step "help" → helper')
  })

  it('explains an agent that is undefined by a circle of imports', () => {
    const missing = undefined as unknown as typeof report
    expect(() => createRegistry([orderAgent, missing])).toThrow(
      'agents[1] is undefined; its module and this one import each other in a circle',
    )
  })
})

describe('T2 a duplicate name fails the build', () => {
  it('names both places', () => {
    const other = agent('other', [plainTool('order_status')])
    expect(() => createRegistry([orderAgent, other])).toThrow(
      'Two definitions are named "order_status": one at order_agent → palette → order_status, another at other → palette → order_status',
    )
  })

  it('takes the same definition from two places', () => {
    expect(createRegistry([orderAgent, agent('other', [status])]).find('order_status')).toBe(status)
  })
})

describe('T3 the registry looks a definition up', () => {
  it('gives it, or says that there is none', () => {
    const registry = createRegistry([orderAgent])
    expect(registry.get('order_status')).toBe(status)
    expect(registry.find('order_stats')).toBeUndefined()
  })

  it('lists the known names when nothing has the name', () => {
    expect(() => createRegistry([orderAgent]).get('order_stats')).toThrow(
      'Nothing is named "order_stats"; known: helper, order_agent, order_status, refund_order',
    )
  })
})
