import { doer, type FailureName, type Plan, type Ref, thinker, tool } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { StepNode } from '../../src/core/doer-plan.ts'
import { createRegistry } from '../../src/core/registry.ts'

const declaration = { description: 'd', input: z.object({}), output: z.object({ n: z.number() }) } as const
const reading = tool({ name: 'reading', ...declaration, readOnly: true }).run(() => ({ n: 1 }))
const changing = tool({ name: 'changing', ...declaration }).run(() => ({ n: 1 }))
const repeatable = tool({ name: 'repeatable', ...declaration, idempotent: true }).run(() => ({ n: 1 }))
const agent = thinker({
  name: 'agent',
  ...declaration,
  grade: 'small',
  outputSize: 'compact',
  instructions: 'i',
  palette: [changing],
})

const plan = (order: (d: Plan, input: Ref<{ n: number }>) => unknown, readOnly = false) =>
  doer({
    name: 'plain',
    description: 'd',
    input: z.object({ n: z.number() }),
    output: z.unknown(),
    readOnly,
  }).plan((d, input) => {
    order(d, input)
    return null
  })
const firstStep = (order: (d: Plan, input: Ref<{ n: number }>) => unknown) =>
  plan(order).plan.nodes[0] as StepNode

describe('N31 a step is tried again as its callable allows', () => {
  it.each([
    [reading, { on: ['Throttled'], attempts: 3 }],
    [repeatable, { on: ['Throttled'], attempts: 3 }],
    [changing, { on: [], attempts: 1 }],
    [agent, { on: [], attempts: 1 }],
  ])('$name by default', (callable, retry) => {
    expect(firstStep((d) => d.step('one', callable, {})).retry).toEqual(retry)
  })

  it.each<[string, FailureName]>([
    ['what changes nothing', 'NotFound'],
    ['what says that it did nothing', 'Throttled'],
  ])('takes a retry of %s', (_, name) => {
    const callable = name === 'Throttled' ? changing : reading
    const retry = { on: [name], attempts: 5 }
    expect(firstStep((d) => d.step('one', callable, {}, { retry })).retry).toEqual(retry)
  })

  it.each<[object, string]>([
    [
      { retry: { on: ['Timeout'], attempts: 2 } },
      'doer "plain", step "one": it retries on Timeout, but changing changes things, and may have before it failed; retry on Throttled alone, or mark the tool idempotent',
    ],
    [{ retry: { on: ['Throttled'], attempts: 0 } }, 'retry.attempts is 0; it is a whole number from 1 to 10'],
    [{ retry: { on: ['Boredom'], attempts: 2 } }, `"Boredom" is no failure's name`],
    [{ timeoutSeconds: 5 }, 'timeoutSeconds is for agents; changing is a tool and has its own, 60 s'],
  ])('refuses %j for a tool that changes things', (options, problem) => {
    expect(() => plan((d) => d.step('one', changing, {}, options))).toThrow(problem)
  })

  it('waits a week for an agent, or as long as the step says', () => {
    expect(firstStep((d) => d.step('one', agent, {})).timeoutSeconds).toBe(604_800)
    expect(firstStep((d) => d.step('one', agent, {}, { timeoutSeconds: 60 })).timeoutSeconds).toBe(60)
    expect(() => plan((d) => d.step('one', agent, {}, { timeoutSeconds: 31_536_001 }))).toThrow(
      'timeoutSeconds is 31536001; it is a whole number from 1 to 31536000',
    )
  })
})

describe('N31 code runs as a step of the doer', () => {
  it('is a step with a tool of its own, which gets values', async () => {
    const step = firstStep((d, input) =>
      d.code('double', { n: input.n }, { output: z.number(), timeoutSeconds: 5 }, ({ n }) => n * 2),
    )
    expect(step).toMatchObject({ kind: 'step', name: 'double', number: 1, isCode: true })
    expect(step.callable).toMatchObject({ kind: 'tool', name: 'code', timeoutSeconds: 5, readOnly: false })
  })

  it('refuses a reference inside, when it runs', () => {
    let kept: Ref<{ n: number }> | undefined
    plan((_d, input) => {
      kept = input
    })
    expect(() => kept?.n).toThrow(
      'doer "plain": the reference input was used after the plan had returned; code gets values for the references among its inputs',
    )
  })

  it('refuses what is no function', () => {
    expect(() => plan((d) => d.code('one', {}, { output: z.number() }, 5 as never))).toThrow(
      'doer "plain", code "one": the last thing that it is given is no function',
    )
  })
})

describe('N6 a doer is read-only when all that it reaches is', () => {
  const code = (readOnly: boolean) => (d: Plan) => {
    d.code('compute', {}, { output: z.number(), readOnly }, () => 1)
  }

  it('takes the mark where nothing changes things, also of a doer in it', () => {
    const inner = plan((d) => d.step('read', reading, {}), true)
    const outer = doer({ name: 'outer', ...declaration, readOnly: true }).plan((d) => {
      code(true)(d)
      d.step('inner', inner, { n: 1 })
      return { n: 1 }
    })
    expect(createRegistry([outer]).get('outer').readOnly).toBe(true)
  })

  it.each<[string, (d: Plan) => unknown, string]>([
    ['a tool', (d) => d.step('change', changing, {}), 'plain → step "change" → changing'],
    ['an agent', (d) => d.step('ask', agent, {}), 'plain → step "ask" → agent → palette → changing'],
    ['its own code', code(false), 'plain → code "compute"'],
    [
      'another doer',
      (d) =>
        d.step(
          'inner',
          doer({ name: 'inner', ...declaration }).plan((i) => i.step('change', changing, {})),
          {},
        ),
      'plain → step "inner" → inner → step "change" → changing',
    ],
  ])('refuses the mark for what changes things through %s, with the path to it', (_, order, path) => {
    expect(() => createRegistry([plan(order, true)])).toThrow(
      `doer "plain" is marked readOnly, but reaches what changes things: ${path};`,
    )
  })
})
