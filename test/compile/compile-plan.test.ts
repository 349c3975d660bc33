import { doer } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compilePlan } from '../../src/compile/compile-plan.ts'
import { planSchema } from '../../src/compile/plan.ts'
import { createRegistry } from '../../src/core/registry.ts'
import { agents } from '../fixtures/orders/functions/agents.ts'

const registry = createRegistry(agents)
const places = new Map(
  registry.all.map(({ definition: { name } }) => [
    name,
    { name, file: `functions/${name}.ts`, export: name },
  ]),
)
const plan = compilePlan(registry, places)
const planned = (id: string) => plan.functions.find((each) => each.id === id)

describe('the deployment plan', () => {
  it('has a function for each tool and thinker, the gateway and resume, and a machine for each doer', () => {
    expect(plan.functions.map(({ id }) => id)).toEqual([
      'gateway',
      'rescue',
      'resume',
      'tool-list_orders',
      'tool-order_status',
      'tool-refund_order',
      'turn-order_agent',
      'turn-report_writer',
    ])
    expect(plan.machines.map(({ id }) => id)).toEqual(['customer_report'])
  })

  it('describes a tool whole', () => {
    expect(planned('tool-refund_order')).toEqual({
      id: 'tool-refund_order',
      door: 'tool',
      definition: { name: 'refund_order', file: 'functions/refund_order.ts', export: 'refund_order' },
      entry: '.turnwise/entries/tool-refund_order.ts',
      timeoutSeconds: 35,
      memoryMb: 512,
      asynchronous: { retries: 0, maximumEventAgeSeconds: 300, onFailure: 'resume' },
      invokes: ['resume', 'turn-order_agent'],
      starts: [],
    })
  })

  it.each([
    ['turn-order_agent', 900, { retries: 0, maximumEventAgeSeconds: 21_600, onFailure: 'resume' }],
    ['resume', 60, { retries: 0, maximumEventAgeSeconds: 21_600, onFailure: 'rescue' }],
    ['rescue', 60, { retries: 2, maximumEventAgeSeconds: 21_600 }],
    ['gateway', 29, { retries: 0, maximumEventAgeSeconds: 21_600 }],
  ])('gives %s %d s and its own rules for events', (id, timeoutSeconds, asynchronous) => {
    expect(planned(id)).toMatchObject({ timeoutSeconds, asynchronous })
  })

  it('is the same after a trip through JSON and its schema', () => {
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan)
  })

  it('is the same bytes for the same registry', () => {
    const again = compilePlan(createRegistry(agents), places)
    expect(JSON.stringify(again)).toBe(JSON.stringify(plan))
  })

  it('refuses a definition whose file is not known', () => {
    expect(() => compilePlan(registry, new Map())).toThrow('"list_orders": no file is known that exports it')
  })
})

describe('W5 a planned machine', () => {
  it('says what it comes to at worst, and whether it starts itself', () => {
    const [report] = plan.machines
    expect(report).toMatchObject({
      startsItself: true,
      worst: {
        split: ['map "statuses" by item'],
        assumptions: [
          'map "statuses" has 1,000 items (its list has no maximum: give its schema one, or the map `atMost`)',
        ],
      },
    })
    expect(report?.worst.events).toBeLessThan(25_000)
    expect(report?.worst.dollars).toBeCloseTo((report?.worst.transitions ?? 0) * 0.000025)
    expect(report?.worst.unboundedPayloads).toContain('what map "statuses" gives')
  })
})

describe('W4 who may invoke whom can be read off the plan', () => {
  it.each([
    ['turn-order_agent', ['resume', 'tool-order_status', 'tool-refund_order', 'turn-order_agent'], []],
    ['turn-report_writer', ['resume', 'turn-report_writer'], []],
    ['tool-list_orders', ['resume'], []],
    ['tool-order_status', ['resume', 'turn-order_agent'], []],
    [
      'gateway',
      ['resume', 'tool-list_orders', 'tool-order_status', 'tool-refund_order', 'turn-order_agent'],
      ['customer_report'],
    ],
    [
      'resume',
      [
        'rescue',
        'resume',
        'tool-list_orders',
        'tool-order_status',
        'tool-refund_order',
        'turn-order_agent',
        'turn-report_writer',
      ],
      ['customer_report'],
    ],
  ])('%s: its palette and what it tells, no more', (id, invokes, starts) => {
    expect(planned(id)).toMatchObject({ invokes, starts })
  })

  it('a machine invokes its steps and resume', () => {
    expect(plan.machines[0]?.invokes).toEqual([
      'resume',
      'tool-list_orders',
      'tool-order_status',
      'turn-report_writer',
    ])
  })
})

describe('a doer that is a step of another, or has code', () => {
  const declaration = { description: 'd', input: z.object({}), output: z.unknown() }
  const inner = doer({ name: 'inner', ...declaration }).plan(() => null)
  const counting = doer({ name: 'counting', ...declaration }).plan((d) =>
    d.code('count', {}, { output: z.number(), timeoutSeconds: 120 }, () => 1),
  )
  const outer = doer({ name: 'outer', ...declaration }).plan((d) => [
    d.step('one', inner, {}),
    d.step('two', counting, {}),
  ])
  const family = createRegistry([outer])
  const { functions, machines } = compilePlan(
    family,
    new Map(family.all.map(({ definition: { name } }) => [name, { name, file: name, export: name }])),
  )

  it('has a function, which starts its machine and has the time that its code needs', () => {
    expect(functions.filter(({ door }) => door === 'doer')).toEqual([
      expect.objectContaining({
        id: 'doer-counting',
        timeoutSeconds: 125,
        invokes: ['resume'],
        starts: ['counting'],
      }),
      expect.objectContaining({
        id: 'doer-inner',
        timeoutSeconds: 60,
        invokes: ['resume'],
        starts: ['inner'],
      }),
    ])
  })

  it('is invoked by the machine whose step it is, or by its own, and by resume', () => {
    expect(machines.map(({ id, invokes }) => [id, invokes])).toEqual([
      ['counting', ['doer-counting', 'resume']],
      ['inner', ['resume']],
      ['outer', ['doer-counting', 'doer-inner', 'resume']],
    ])
    expect(functions.find(({ id }) => id === 'resume')?.invokes).toEqual([
      'doer-counting',
      'doer-inner',
      'rescue',
      'resume',
    ])
  })
})
