import fc from 'fast-check'
import { doer, type FailureName, thinker } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agents } from '../../functions/agents.ts'
import type { Machine, States, TaskState } from '../../src/compile/asl.ts'
import { compileDoer } from '../../src/compile/compile-doer.ts'
import type { Doer } from '../../src/core/doer.ts'
import { FAILURE_NAMES } from '../../src/core/errors.ts'
import { createRegistry } from '../../src/core/registry.ts'
import { agents as fanOutAgents } from '../fixtures/fan-out/functions/agents.ts'
import { generatedDoer } from '../support/doers/generated-doers.ts'
import { proveWithin } from '../support/doers/run-generated.ts'
import { listOrders, noSteps, oneStep, oneThinker, refundAll, refundOrder } from './doers.ts'
import { NEVER_ENDS, type Ran, runMachine } from './run-machine.ts'

/** The example's doers, those of the fixture that has list artifacts, and those beside. */
const written = [agents, fanOutAgents, [oneStep, refundAll, noSteps, oneThinker]].flatMap((served) =>
  createRegistry(served).all.flatMap(({ definition }): Doer[] =>
    definition.kind === 'doer' ? [definition] : [],
  ),
)
const machines: readonly Machine[] = [
  ...written.map((each) => compileDoer(each)),
  ...fc.sample(generatedDoer, { numRuns: 40, seed: 1 }).map((each) => proveWithin(each, 200).machine),
]

/** The tasks of a machine, at any depth. */
function tasksOf({ States }: States): TaskState[] {
  return Object.values(States).flatMap((state) => {
    switch (state.Type) {
      case 'Task':
        return [state]
      case 'Map':
        return tasksOf(state.ItemProcessor)
      case 'Parallel':
        return state.Branches.flatMap(tasksOf)
      default:
        return []
    }
  })
}
const tasks = machines.flatMap(tasksOf)
/** `tool`, `turn` and `doer` do steps; `resume` and `lists` are ours. */
const kindOf = ({ Arguments }: TaskState): string =>
  /^\$\{prefix\}-([a-z]+)/.exec(Arguments.FunctionName)?.[1] ?? Arguments.FunctionName
const isOfStep = (task: TaskState): boolean => ['tool', 'turn', 'doer'].includes(kindOf(task))

const OF_LAMBDA = [
  'Lambda.AWSLambdaException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  'Lambda.TooManyRequestsException',
]
const OF_A_DEAD_PROCESS = ['Lambda.Unknown', 'Runtime.ExitError']

describe('O34 each task of a compiled machine', () => {
  it('is of every kind, in what is looked at here', () => {
    expect([...new Set(tasks.map(kindOf))].toSorted()).toEqual(['doer', 'lists', 'resume', 'tool', 'turn'])
    expect(tasks.length).toBeGreaterThan(300)
  })

  it('has a timeout', () => {
    expect(
      tasks.flatMap(({ Comment, TimeoutSeconds }) => (TimeoutSeconds === undefined ? [Comment] : [])),
    ).toEqual([])
  })

  it('tries a step again on our names, and on what Lambda says of itself and of a dead process, and on nothing else', () => {
    const names = new Set(
      tasks.filter(isOfStep).flatMap(({ Retry }) => Retry.flatMap(({ ErrorEquals }) => ErrorEquals)),
    )
    for (const name of FAILURE_NAMES) names.delete(name)
    expect([...names].toSorted()).toEqual(['CallInProgress', ...OF_LAMBDA, ...OF_A_DEAD_PROCESS])
  })

  it('tries again so many times and no more', () => {
    const most: Record<string, number> = {}
    for (const { ErrorEquals, MaxAttempts } of tasks.flatMap(({ Retry }) => Retry))
      for (const name of ErrorEquals) most[name] = Math.max(most[name] ?? 0, MaxAttempts)
    const { CallInProgress, ...others } = most
    const isOurs = (name: string) => FAILURE_NAMES.some((known) => known === name)
    const unequalToZero = Object.entries(others).filter(([name, times]) => !isOurs(name) && times > 0)
    // What a plan itself asks for.
    expect(Math.max(...FAILURE_NAMES.map((name) => most[name] ?? 0))).toBeLessThanOrEqual(9)
    expect(Object.fromEntries(unequalToZero)).toEqual({
      ...Object.fromEntries(OF_LAMBDA.map((name) => [name, 6])),
      ...Object.fromEntries(OF_A_DEAD_PROCESS.map((name) => [name, 2])),
      'States.ALL': 6,
    })
    // Until the tool of a minute, the longest here, and its claim must be over.
    expect(CallInProgress).toBe(8)
  })
})

const listing = doer({ name: 'listing', description: 'd', input: z.object({}), output: z.unknown() }).plan(
  (d) => d.step('list', listOrders, { customerId: 'C-1' }),
)
const refunding = doer({
  name: 'refunding',
  description: 'd',
  input: z.object({}),
  output: z.unknown(),
}).plan((d) => d.step('refund', refundOrder, { orderNumber: 'A-1', reason: 'late' }))

describe('O34 a tool’s function that fails each time', () => {
  const named = (name: string) => Object.assign(new Error('it said'), { name })
  const attempts = ({ sent }: Ran) => sent.filter(({ id }) => id.startsWith('tool-')).length
  const failing = async (tested: Doer, error: string) => {
    const fail = () => {
      throw named(error)
    }
    const ran = await runMachine(tested, {}, { 'tool-list_orders': fail, 'tool-refund_order': fail })
    return [ran.status, ran.error, attempts(ran)]
  }

  it.each<[string, number, FailureName, FailureName]>([
    ['Sandbox.Timedout', 1, 'Timeout', 'Interrupted'],
    ['ConnectionReset', 1, 'Internal', 'Interrupted'],
    ['Runtime.ExitError', 3, 'Internal', 'Interrupted'],
    ['Lambda.ServiceException', 7, 'Internal', 'Interrupted'],
    ['Lambda.TooManyRequestsException', 7, 'Throttled', 'Throttled'],
    ['Lambda.ResourceNotFoundException', 1, 'NotFound', 'NotFound'],
    ['NotFound', 1, 'NotFound', 'NotFound'],
  ])('with %s is asked so often: %i', async (error, times, reading, changing) => {
    expect([await failing(listing, error), await failing(refunding, error)]).toEqual([
      ['FAILED', reading, times],
      ['FAILED', changing, times],
    ])
  })
})

describe('O34 an agent whose callback is lost', () => {
  const adviser = thinker({
    name: 'adviser',
    description: 'd',
    grade: 'small',
    outputSize: 'compact',
    input: z.object({}),
    output: z.object({ advice: z.string() }),
    instructions: 'Advise.',
    palette: [],
  })
  const declaration = { description: 'd', input: z.object({}), output: z.unknown() }
  const asking = doer({ name: 'asking', ...declaration }).plan((d) =>
    d.step('ask', adviser, {}, { timeoutSeconds: 20 }),
  )
  const recovering = doer({ name: 'recovering', ...declaration }).plan((d) =>
    d.recover('try', () => d.step('ask', adviser, {}, { timeoutSeconds: 20 }), {
      on: ['Timeout'],
      with: ({ message }) => message,
    }),
  )
  const lost = { 'turn-adviser': () => NEVER_ENDS }

  it('is a Timeout when its seconds have passed, asked once', async () => {
    const ran = await runMachine(asking, {}, lost)
    expect([ran.status, ran.error, ran.sent.map(({ id }) => id)]).toEqual([
      'FAILED',
      'Timeout',
      ['turn-adviser', 'resume'],
    ])
    expect(ran.cause).toMatch(/^step "ask": /)
  })

  it('is a failure that its doer may go on from', async () => {
    const ran = await runMachine(recovering, {}, lost)
    expect([ran.status, ran.output]).toEqual(['SUCCEEDED', expect.stringMatching(/^step "ask": /)])
  })
})
