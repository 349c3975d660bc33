import { doer } from 'turnwise'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ModelServer } from '../../src/local/models/model-server.ts'
import { type Script, type ScriptedReply, startScriptedModel } from '../../src/local/models/scripted.ts'
import { advance } from '../../src/runtime/advance.ts'
import { lookAtDoer } from '../../src/runtime/end-doer.ts'
import type { AgentStepMessage } from '../../src/runtime/messages.ts'
import { childRunId } from '../../src/runtime/run-ids.ts'
import { submitRun } from '../../src/runtime/submit-run.ts'
import { submitStep } from '../../src/runtime/submit-step.ts'
import { modelAt } from '../model/probe.ts'
import { NOW, newRun, random } from '../store/records.ts'
import { createStage, orderAgent, readRun } from './stage.ts'

const STEP: AgentStepMessage = {
  kind: 'step',
  runId: 'doer',
  agent: 'report',
  target: 'turn-order_agent',
  taskToken: 'token',
  attempt: 1,
  step: { number: 1, name: 'ask' },
  input: { question: 'why' },
}
const CHILD = childRunId('doer', 'S#0001#ask/1')
const TURN_MS = 900_000

let stage: ReturnType<typeof createStage>
let server: ModelServer | undefined
beforeEach(async () => {
  stage = createStage()
  await stage.store.runs.create(newRun('doer', { kind: 'doer', agent: 'report' }))
})
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** The doer asks the thinker for its step; what comes back takes the thinker one turn further, with a model that replies like this. */
async function ask(replies: Script): Promise<() => Promise<void>> {
  const model = await startScriptedModel({ replies })
  server = model
  await submitStep(stage.ports, orderAgent, STEP)
  return () => {
    const owner = random()
    const invocation = { owner, requestId: owner, deadline: stage.clock.now() + TURN_MS }
    return advance(stage.ports, { thinker: orderAgent, model: modelAt(model) }, invocation, { runId: CHILD })
  }
}
const throttled = (headers: Readonly<Record<string, string>>): ScriptedReply => ({
  status: 429,
  headers,
  body: { error: { message: 'slow down', type: 'requests', param: null, code: null } },
})
const outcomes = async () =>
  (await stage.store.turns.history(CHILD))?.turns.map((turn) =>
    turn.state === 'committed' ? turn.body.outcome : turn.state,
  )

describe('O21 a provider asks the thinker of a doer’s step to come back later', () => {
  it.each([
    ['90 s', { 'retry-after': '90' }, 90_000],
    ['15 minutes', { 'retry-after': '900' }, 900_000],
    [
      'a date',
      { 'retry-after': 'Wed, 02 Dec 2026 10:00:30 GMT', date: 'Wed, 02 Dec 2026 10:00:00 GMT' },
      30_000,
    ],
  ])('in %s: the step waits so long, without an invocation', async (_, headers, waitMs) => {
    const takeTurn = await ask(() => throttled(headers))
    await takeTurn()
    const failure = { name: 'Throttled', message: 'LLM: 429 slow down' }
    expect(await outcomes()).toEqual([{ kind: 'wait', until: NOW + waitMs, failure }])
    expect(await readRun(stage.ports, CHILD)).toMatchObject({ status: 'running', lookAt: NOW + waitMs })
    expect([server?.requests.length, stage.machines.answered]).toEqual([1, []])
  })

  it.each([
    ['15 minutes and a second', '901', '901 s, at 2026-01-01T00:15:01.000Z'],
    ['three hours', '10800', '10800 s, at 2026-01-01T03:00:00.000Z'],
    ['more years than there are', '9'.repeat(400), 'Infinity s, at +275760-09-13T00:00:00.000Z'],
  ])('in %s: the step fails at once, and says until when', async (_, seconds, when) => {
    const takeTurn = await ask(() => throttled({ 'retry-after': seconds }))
    await takeTurn()
    const failure = { name: 'Throttled', message: `LLM: 429 slow down; it asks to come back in ${when}` }
    expect(stage.machines.answered).toEqual([{ token: 'token', answer: { failure } }])
    expect(server?.requests).toHaveLength(1)
  })
})

describe('O24 the model of a doer’s step does not answer in the time of a function', () => {
  /** Takes a turn in which the model is asked and says nothing until the turn has to end. */
  async function stall(takeTurn: () => Promise<void>, asked: Promise<unknown>): Promise<void> {
    const turn = takeTurn()
    await asked
    stage.clock.advance(TURN_MS - 15_000)
    await turn
  }
  const silentFor = (times: number) => {
    const asked = Array.from({ length: times }, () => Promise.withResolvers<void>())
    const replies: Script = (_, index) => {
      asked[index]?.resolve()
      return { text: '{"text":"at last"}', ...(index < times && { delayMs: 600_000 }) }
    }
    return { replies, asked: asked.map(({ promise }) => promise) }
  }

  it('stores a wait 15 s before the end, and the next turn ends the step once', async () => {
    const { replies, asked } = silentFor(1)
    const takeTurn = await ask(replies)
    await stall(takeTurn, Promise.all(asked))
    const until = stage.clock.now() + 10_000
    expect(await outcomes()).toMatchObject([{ kind: 'wait', until, failure: { name: 'Timeout' } }])
    stage.clock.advance(10_000)
    await takeTurn()
    await takeTurn()
    expect(stage.machines.answered).toEqual([{ token: 'token', answer: { output: { text: 'at last' } } }])
  })

  it('fails the step after five such turns', async () => {
    const { replies, asked } = silentFor(5)
    const takeTurn = await ask(replies)
    for (const one of asked) {
      await stall(takeTurn, one)
      stage.clock.advance(TURN_MS)
    }
    await takeTurn()
    const failure = { name: 'Timeout', message: 'LLM: no answer within the time for this turn' }
    expect(stage.machines.answered).toEqual([{ token: 'token', answer: { failure } }])
    expect(server?.requests).toHaveLength(5)
  })
})

describe('O31 a doer that is started again', () => {
  const report = doer({
    name: 'report',
    description: 'd',
    input: z.object({ n: z.number(), since: z.string().default('ever') }),
    output: z.unknown(),
  }).plan((_d, input) => input.n)
  const startedTexts = () => new Set(stage.machines.started.map((start) => JSON.stringify(start)))

  it('has the input of the first start, byte for byte: by a repeat, and by a look that finds no execution', async () => {
    const submit = () => submitRun(stage.ports, report, { n: 1 }, { idempotencyKey: 'key' })
    const { runId } = await submit()
    stage.clock.advance(60_000)
    await submit()
    const machines = { ...stage.ports.machines, describe: async () => ({ kind: 'absent' as const }) }
    await lookAtDoer({ ...stage.ports, machines }, await readRun(stage.ports, runId))
    expect([stage.machines.started.length, [...startedTexts()]]).toEqual([
      3,
      [JSON.stringify({ doer: 'report', runId, input: { runId, input: { n: 1, since: 'ever' } } })],
    ])
  })

  it('is not started with another input under the same key', async () => {
    const submit = (since: string) =>
      submitRun(stage.ports, report, { n: 1, since }, { idempotencyKey: 'key' })
    await submit('10:00:00')
    expect(await submit('10:00:01')).toMatchObject({ kind: 'conflict' })
    expect(stage.machines.started).toHaveLength(1)
  })

  it('as a step of another has the input of the first start, and is not started once it has ended', async () => {
    const deliver = () => submitStep(stage.ports, report, { ...STEP, target: 'doer-report', input: { n: 1 } })
    await deliver()
    stage.clock.advance(60_000)
    await deliver()
    await stage.store.runs.end(
      await readRun(stage.ports, CHILD),
      { status: 'completed', output: 1 },
      NOW,
      'me',
    )
    await deliver()
    expect([stage.machines.started.length, startedTexts().size]).toEqual([2, 1])
    expect(stage.machines.answered).toEqual([{ token: 'token', answer: { output: 1 } }])
  })
})
