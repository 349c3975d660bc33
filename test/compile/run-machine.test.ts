import { Denied, doer, NotFound, orElse, text } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AgentStepMessage, DoerMessage, ToolStepMessage } from '../../src/runtime/messages.ts'
import { letterWriter, listOrders, noSteps, oneStep, refundAll } from './doers.ts'
import { type Functions, NEVER_ENDS, type Ran, runMachine } from './run-machine.ts'

const order = (orderNumber: string) => ({ orderNumber, total: 1 })
const functions: Functions = {
  'tool-list_orders': () => ({
    output: { orders: [order('A-1'), { ...order('A-2'), note: 'fragile' }], 'next-page': null },
  }),
  'tool-refund_order': ({ input }) => ({
    output: { refundId: `${input.reason} ${input.orderNumber}`, tags: [] },
  }),
  'turn-letter_writer': () => ({ letter: 'Dear customer' }),
}

describe('N31 the compiled machine does the work in the order of the plan', () => {
  it('runs steps, a map and a thinker, and reports the result', async () => {
    const ran = await runMachine(refundAll, { customerId: 'C-1' }, functions)
    expect(ran).toMatchObject({ status: 'SUCCEEDED', output: { letter: 'Dear customer', count: 2 } })
    expect(ran.sent.at(-1)).toEqual({
      id: 'resume',
      message: {
        kind: 'end',
        runId: 'run-1',
        outcome: { kind: 'completed', output: { letter: 'Dear customer', count: 2 } },
      },
    })
  })

  it('sends each step what the runtime reads, leaving out what is absent', async () => {
    const { sent } = await runMachine(refundAll, { customerId: 'C-1' }, functions)
    const sentTo = (id: string) => sent.filter((each) => each.id === id).map(({ message }) => message)
    expect(ToolStepMessage.parse(sentTo('tool-list_orders')[0])).toEqual({
      kind: 'step',
      runId: 'run-1',
      agent: 'refund_all',
      step: { number: 1, name: 'list orders' },
      input: { customerId: 'C-1' },
      wanted: {
        keep: { fields: { orders: { items: { fields: { note: 'passed', orderNumber: 'passed' } } } } },
        mostBytes: 16_384,
      },
      retry: { on: ['Throttled'], count: 0 },
    })
    expect(sentTo('tool-refund_order')).toContainEqual({
      kind: 'step',
      runId: 'run-1',
      agent: 'refund_all',
      step: { number: 3, name: 'refund the fee', indexes: [1] },
      input: { orderNumber: 'late A-2', reason: 'fee' },
      wanted: { keep: { fields: { refundId: 'passed' } }, mostBytes: 200 },
    })
    expect(AgentStepMessage.parse(sentTo('turn-letter_writer')[0])).toMatchObject({
      step: { number: 4, name: 'write a letter' },
      input: {
        refunds: [
          { refundId: 'fee late A-1', first: 'late A-1', place: 0 },
          { refundId: 'fee late A-2', first: 'late A-2', place: 1, note: 'fragile' },
        ],
      },
    })
  })

  it.each([[[]], [['one']], [['one', 'two']]])('maps the list %j to as many results', async (numbers) => {
    const { output } = await runMachine(noSteps, { numbers }, functions)
    expect(output).toEqual({
      numbers: numbers.map((number) => ({ number })),
      note: '{% not an expression %}',
    })
  })

  it('keeps a list of one item a list, and null', async () => {
    const one = { 'tool-list_orders': () => ({ output: { orders: [order('A-1')], 'next-page': null } }) }
    const { output } = await runMachine(oneStep, { customerId: 'C-1' }, one)
    expect(output).toEqual({ orders: [order('A-1')], page: null })
  })
})

describe('N31 a failed step fails the run, naming the step', () => {
  const failingWith = (error: Error): Functions => ({
    ...functions,
    'tool-refund_order': ({ input }) => {
      if (input.orderNumber === 'A-2') throw error
      return functions['tool-refund_order']?.({ kind: 'step', input })
    },
  })

  it('with the typed failure of the tool, also from inside a map', async () => {
    const ran = await runMachine(
      refundAll,
      { customerId: 'C-1' },
      failingWith(new NotFound('No order "A-2"')),
    )
    const message = 'step "refunds": step "refund": No order "A-2"'
    expect(ran).toMatchObject({ status: 'FAILED', error: 'NotFound', cause: message })
    expect(ran.sent.at(-1)).toEqual({
      id: 'resume',
      message: {
        kind: 'end',
        runId: 'run-1',
        outcome: { kind: 'failed', error: { name: 'NotFound', message } },
      },
    })
  })

  it('as Interrupted where a tool that changes things crashed', async () => {
    const ran = await runMachine(
      refundAll,
      { customerId: 'C-1' },
      failingWith(new RangeError('out of memory')),
    )
    expect(ran).toMatchObject({ error: 'Interrupted', cause: 'step "refunds": step "refund": out of memory' })
  })
})

describe('N31 code and other doers are steps', () => {
  const inner = doer({
    name: 'inner',
    description: 'd',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
  }).plan((_d, input) => ({ n: input.n }))
  const outer = doer({
    name: 'outer',
    description: 'd',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
  }).plan((d, input) => {
    const { n } = d.step('inner', inner, { n: input.n })
    return { n: d.code('double', { n }, { output: z.number() }, (inputs) => inputs.n * 2) }
  })

  it('asks each doer’s function', async () => {
    const { output, sent } = await runMachine(
      outer,
      { n: 1 },
      { 'doer-inner': () => ({ n: 5 }), 'doer-outer': ({ input }) => ({ output: Number(input.n) * 2 }) },
    )
    expect(output).toEqual({ n: 10 })
    expect(sent.map(({ id, message }) => [id, DoerMessage.safeParse(message).data?.step.name])).toEqual([
      ['doer-inner', 'inner'],
      ['doer-outer', 'double'],
      ['resume', undefined],
    ])
  })
})

describe('N31 a step that fails is tried again, as its plan says', () => {
  const trying = doer({ name: 'trying', description: 'd', input: z.object({}), output: z.unknown() }).plan(
    (d) => d.step('list', listOrders, { customerId: 'C-1' }, { retry: { on: ['NotFound'], attempts: 3 } }),
  )
  const failing = (times: number, error: Error): Functions => {
    let calls = 0
    return {
      'tool-list_orders': () => {
        calls += 1
        if (calls <= times) throw error
        return { output: { orders: [], 'next-page': null } }
      },
    }
  }
  const counts = ({ sent }: Ran) =>
    sent.flatMap(({ message }) => ToolStepMessage.safeParse(message).data?.retry?.count ?? [])

  it.each([
    [2, new NotFound('nothing'), 'SUCCEEDED', [0, 1, 2]],
    [3, new NotFound('nothing'), 'FAILED', [0, 1, 2]],
    [1, new Denied('no'), 'FAILED', [0]],
  ])('after %i times %s', async (times, error, status, expected) => {
    const ran = await runMachine(trying, {}, failing(times, error))
    expect([ran.status, counts(ran)]).toEqual([status, expected])
  })
})

describe('N31 agents that a failed part leaves behind', () => {
  const parting = doer({ name: 'parting', description: 'd', input: z.object({}), output: z.unknown() }).plan(
    (d) =>
      d.recover(
        'either',
        () =>
          d.parallel('both', {
            quick: () => d.step('quick', listOrders, { customerId: 'C-1' }).orders,
            slow: () => d.step('slow', letterWriter, { refunds: [] }).letter,
          }),
        { on: ['NotFound'], with: () => 'recovered' },
      ),
  )

  it('are stopped before the doer goes on', async () => {
    const ran = await runMachine(
      parting,
      {},
      {
        'tool-list_orders': () => {
          throw new NotFound('nothing')
        },
        'turn-letter_writer': () => NEVER_ENDS,
      },
    )
    expect(ran.output).toBe('recovered')
    expect(ran.sent.map(({ message }) => message)).toContainEqual({
      kind: 'give-up',
      runId: 'run-1',
      steps: [
        { number: 1, name: 'quick' },
        { number: 1, name: 'slow' },
      ],
      indexes: [],
    })
  })
})

describe('N31 a doer waits, asks, tells and lets branches finish', () => {
  const declaration = { description: 'd', input: z.object({ until: z.string() }), output: z.unknown() }

  it('waits until a time, and tells how it goes', async () => {
    const waiting = doer({ name: 'waiting', ...declaration }).plan((d, input) => {
      d.wait('until', { until: input.until })
      d.emit('tell', text`waited until ${input.until}`)
      return 'done'
    })
    const { status, sent } = await runMachine(waiting, { until: '2026-01-01T00:00:05Z' }, {})
    expect(status).toBe('SUCCEEDED')
    expect(sent[0]?.message).toEqual({
      kind: 'emit',
      runId: 'run-1',
      step: { number: 1, name: 'tell' },
      message: 'waited until 2026-01-01T00:00:05Z',
    })
  })

  it('goes on where nobody could be told', async () => {
    const telling = doer({ name: 'telling', ...declaration }).plan((d) => {
      d.emit('tell', 'hello')
      return 'done'
    })
    const { status } = await runMachine(
      telling,
      { until: '' },
      {
        resume: ({ kind }) => {
          if (kind === 'emit') throw new Error('no')
          return null
        },
      },
    )
    expect(status).toBe('SUCCEEDED')
  })

  const asking = doer({ name: 'asking', ...declaration }).plan((d) =>
    d.recover(
      'in time',
      () =>
        d.ask('may we', { text: 'May we?', answer: z.object({ yes: z.boolean() }), deadlineSeconds: 60 }).yes,
      { on: ['Timeout'], with: () => false },
    ),
  )

  it('goes on with a person’s answer', async () => {
    const { output, sent } = await runMachine(asking, { until: '' }, { resume: () => ({ yes: true }) })
    expect(output).toBe(true)
    expect(sent[0]?.message).toMatchObject({
      kind: 'ask',
      step: { number: 1, name: 'may we' },
      question: 'May we?',
      deadlineSeconds: 60,
      taskToken: expect.any(String),
    })
  })

  it('recovers when nobody answers in time', async () => {
    const { output } = await runMachine(asking, { until: '' }, { resume: () => NEVER_ENDS })
    expect(output).toBe(false)
  })

  const both = (onFailure: 'cancel' | 'finish') =>
    doer({ name: 'both', ...declaration }).plan((d) => {
      const list = (name: string) => () => d.step(name, listOrders, { customerId: name }).orders
      return d.parallel('both', { first: list('first'), second: list('second') }, { onFailure })
    })

  it('lets the other branch finish before the first failure is the group’s', async () => {
    const seen: unknown[] = []
    const listing: Functions = {
      'tool-list_orders': ({ input }) => {
        seen.push(input.customerId)
        if (input.customerId === 'first') throw new NotFound('nothing')
        return { output: { orders: [] } }
      },
    }
    const ran = await runMachine(both('finish'), { until: '' }, listing)
    expect(ran).toMatchObject({
      status: 'FAILED',
      error: 'NotFound',
      cause: 'step "both": step "first": nothing',
    })
    expect(seen.sort()).toEqual(['first', 'second'])
  })

  it('gives what each branch gave, an empty list too', async () => {
    const listing: Functions = { 'tool-list_orders': () => ({ output: { orders: [] } }) }
    const { output } = await runMachine(both('finish'), { until: '' }, listing)
    expect(output).toEqual({ first: [], second: [] })
  })
})

describe('N31 a doer does what the member of a union is for', () => {
  const place = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('shelf'), number: z.number() }),
    z.object({ kind: z.literal('sold'), to: z.string(), price: z.number().optional() }),
  ])
  const finding = doer({
    name: 'finding',
    description: 'd',
    input: z.object({ place }),
    output: z.object({ says: z.string() }),
  }).plan((d, input) => ({
    says: d.cases('where', input.place, 'kind', {
      shelf: ({ number }) => text`on shelf ${number}`,
      sold: ({ to, price }) => text`sold to ${to} for ${orElse(price, 0)}`,
    }),
  }))

  it.each([400, 2_000])(
    'counts the room for failures where a list may have %d items, in a map in a map',
    async (most) => {
      const nested = doer({
        name: 'nested',
        description: 'd',
        input: z.object({ lists: z.array(z.array(z.string()).max(most)).max(2) }),
        output: z.unknown(),
      }).plan((d, input) =>
        d.map('outer', input.lists, (list) =>
          d.map('inner', list, (customerId) => d.step('orders', listOrders, { customerId }), {
            tolerate: 'all',
          }),
        ),
      )
      const said = 'x'.repeat(180)
      const listing: Functions = {
        'tool-list_orders': () => {
          throw new NotFound(said)
        },
      }
      const { output } = await runMachine(nested, { lists: [['a'], []] }, listing)
      const error = { name: 'NotFound', message: `step "orders": ${said}` }
      expect(output).toEqual([[{ ok: false, error }], []])
    },
  )

  it('goes through what a map gives that tolerates failures', async () => {
    const prices = doer({
      name: 'prices',
      description: 'd',
      input: z.object({ ids: z.array(z.string()).max(3) }),
      output: z.array(z.string()),
    }).plan((d, input) => {
      const listed = d.map(
        'list',
        input.ids,
        (customerId) => d.step('orders', listOrders, { customerId }).orders,
        { tolerate: 'all' },
      )
      return d.map('say', listed, (one) =>
        d.cases('how', one, 'ok', {
          true: ({ value }) => text`${value.length} orders`,
          false: ({ error }) => text`${error.name}: ${error.message}`,
        }),
      )
    })
    const listing: Functions = {
      'tool-list_orders': ({ input }) => {
        if (input.customerId === 'b') throw new NotFound('nobody')
        return { output: { orders: [] } }
      },
    }
    const { output } = await runMachine(prices, { ids: ['a', 'b'] }, listing)
    expect(output).toEqual(['0 orders', 'NotFound: step "orders": nobody'])
  })

  it.each([
    [{ kind: 'shelf', number: 7 }, 'on shelf 7'],
    [{ kind: 'sold', to: 'Ann' }, 'sold to Ann for 0'],
    [{ kind: 'sold', to: 'Ann', price: 3 }, 'sold to Ann for 3'],
  ])('%j', async (given, says) => {
    expect((await runMachine(finding, { place: given }, {})).output).toEqual({ says })
  })
})
