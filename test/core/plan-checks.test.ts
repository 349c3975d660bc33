import { at, doer, eq, type FailureName, type Plan, type Ref, thinker, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const declaration = { description: 'd', input: z.object({}), output: z.object({ n: z.number() }) } as const
const check = tool({ name: 'check', ...declaration, readOnly: true }).run(() => ({ n: 1 }))
const agent = thinker({
  name: 'agent',
  ...declaration,
  grade: 'small',
  outputSize: 'compact',
  instructions: 'i',
  palette: [],
})

const plan = (order: (d: Plan, input: Ref<{ list: string[] }>) => unknown) =>
  doer({
    name: 'x',
    description: 'd',
    input: z.object({ list: z.array(z.string()) }),
    output: z.unknown(),
  }).plan((d, input) => order(d, input) as never).plan

describe('N31 a plan is refused where it says what would not be done', () => {
  it('a repeat whose until makes a step', () => {
    const order = (d: Plan) =>
      d.repeat(
        'r',
        { from: { n: 0 }, until: () => eq(d.step('check', check, {}).n, 1), max: 2 },
        (state) => state,
      )
    expect(() => plan(order)).toThrow(
      'doer "x", repeat "r": until makes step "check"; do it in the body and give what it found back in the state',
    )
  })

  it('the state of an until that is used outside it', () => {
    let kept: Ref<number> | undefined
    const order = (d: Plan) => {
      const until = (state: Ref<{ n: number }>) => {
        kept = state.n
        return eq(state.n, 1)
      }
      d.repeat('r', { from: { n: 0 }, until, max: 2 }, (state) => state)
      return kept
    }
    expect(() => plan(order)).toThrow('the state of repeat "r".n is used outside the until of repeat "r"')
  })

  it.each([-1, 1.5, 100_000_000])('a wait of %d seconds', (seconds) => {
    expect(() => plan((d) => d.wait('w', seconds))).toThrow(
      `wait "w": its seconds is ${seconds}; it is a whole number from 0 to 99999999`,
    )
  })

  it.each(['tomorrow', '2026-12-24', '2026-12-24T18:00:00', '2026-12-24T18:00Z', '2026-02-30T18:00:00Z'])(
    'a wait until %s',
    (until) => {
      expect(() => plan((d) => d.wait('w', { until }))).toThrow(
        `wait "w": until is "${until}"; it is a time in ISO 8601 with a zone, such as 2026-12-24T18:00:00Z`,
      )
    },
  )

  it('but not a wait that is legal, or known later', () => {
    const { nodes } = plan((d, { list }) => {
      d.wait('none', 0)
      d.wait('long', 99_999_999)
      d.wait('until', { until: '2026-12-24T18:00:00.5+01:00' })
      d.wait('later', list.length)
      return null
    })
    expect(nodes).toHaveLength(4)
  })

  it.each([
    ['{% $a %}', 'a name does not start with "{%"'],
    ['look up#00012', 'a name has no "#" and five digits after it'],
    ['look up#00012#x', 'a name has no "#" and five digits after it'],
  ])('a step named %s', (name, message) => {
    expect(() => plan((d) => d.step(name, check, {}))).toThrow(`doer "x", step "${name}": ${message}`)
  })

  it.each(['a {% b', '#1', 'order #123456', 'order #00012 again'])('but not one named %s', (name) => {
    expect(plan((d) => d.step(name, check, {})).nodes).toHaveLength(1)
  })

  it('a recover and a retry on no failure', () => {
    const message = 'it names no failure; those are InvalidInput'
    expect(() => plan((d) => d.recover('r', () => 1, { on: [], with: () => 2 }))).toThrow(
      `recover "r": ${message}`,
    )
    expect(() => plan((d) => d.step('s', check, {}, { retry: { on: [], attempts: 2 } }))).toThrow(
      `step "s": ${message}`,
    )
  })

  it('an agent that is asked again when its time is over', () => {
    const on: FailureName[] = ['Internal', 'Timeout']
    expect(() => plan((d) => d.step('s', agent, {}, { retry: { on, attempts: 2 } }))).toThrow(
      'step "s": it retries on Timeout, but agent is an agent, whose time is over then and which a retry would ask twice; ' +
        'give it more timeoutSeconds, or recover on Timeout',
    )
    expect(plan((d) => d.step('s', check, {}, { retry: { on, attempts: 2 } })).nodes).toHaveLength(1)
  })

  it('an item of a list at a negative index', () => {
    expect(() => plan((_d, { list }) => ({ last: at(list, -1) }))).toThrow('at takes an index from 0, not -1')
  })
})

describe('N31 a plan that ends in a failure', () => {
  it('gives nothing, and may say so', () => {
    const failing = plan((d) => {
      d.fail('no', { name: 'Denied', message: 'no' })
    })
    expect(failing.result).toEqual({ kind: 'literal', value: null })
  })

  it('is the only one', () => {
    expect(() => plan(() => undefined)).toThrow('doer "x", the plan: its result is undefined')
  })
})
