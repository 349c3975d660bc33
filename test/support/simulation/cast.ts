import { type Arg, doer, type Plan } from 'turnwise'
import * as z from 'zod'
import { InvalidInput, NotFound, Throttled } from '../../../src/core/errors.ts'
import { thinker } from '../../../src/core/thinker.ts'
import { tool } from '../../../src/core/tool.ts'
import type { Exchange, Model, Reply } from '../../../src/model/types.ts'
import type { Watch } from './watch.ts'
import type { Worker } from './workers.ts'
import type { World } from './world.ts'

/** The steps that the errand gives up when what runs beside them fails, and the one with which it goes on then. */
export const GIVEN_UP = ['change', 'change each']
export const GOING_ON = 'go on'
/** What every tool's timeout is, in seconds. */
export const TOOL_TIMEOUT_S = 60

const input = z.object({ item: z.string() })
const output = z.object({ done: z.string() })

/** A tool of each kind, as one worker runs them. */
export function createTools(world: World, worker: Worker, watch: Watch, hang: number) {
  const work = async (key: string, changes: boolean, signal: AbortSignal) => {
    const durationMs = 200 + world.chance() * 5_000
    watch.begin(key, worker, changes)
    await worker.step(durationMs / 2, () => (changes ? watch.effect(key, worker) : undefined))
    if (hang > 0 && world.chance() < hang) {
      if (world.chance() < 0.5) return worker.block()
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    await worker.step(durationMs / 2, () => undefined)
    return { done: key }
  }
  const keyOf = ({ runId, callId }: { runId: string; callId: string }) => {
    if (callId.startsWith('S#')) return `RUN#${runId}/${callId}/0`
    const [turn = '', entry] = callId.split('/')
    return `RUN#${runId}/T#${turn.padStart(6, '0')}#R/${entry}`
  }
  const declare = (name: string, marks: { readOnly?: boolean; idempotent?: boolean }) =>
    tool({ name, description: name, input, output, timeoutSeconds: TOOL_TIMEOUT_S, ...marks }).run(
      ({ item }, { caller, signal }) => {
        if (item === AT_TIMES_THROTTLED && world.chance() < 0.3) throw new Throttled('Later')
        return work(`${keyOf(caller)}${marks.idempotent ? '!idempotent' : ''}`, !marks.readOnly, signal)
      },
    )
  const gamble = tool({ name: 'gamble', description: 'gamble', input, output, readOnly: true }).run(
    async () => {
      await worker.step(world.chance() * 5_000, () => undefined)
      if (world.chance() < 0.5) throw new NotFound('Bad luck')
      return { done: 'gamble' }
    },
  )
  return {
    look: declare('look', { readOnly: true }),
    change: declare('change', {}),
    set: declare('set', { idempotent: true }),
    gamble,
  }
}
export type Tools = ReturnType<typeof createTools>

/** A parent, and a child that it may call. */
export function createAgents({ look, change, set }: Tools) {
  const common = {
    description: 'an agent',
    grade: 'small',
    outputSize: 'compact',
    instructions: 'Do it.',
  } as const
  const answer = z.object({ answer: z.string() })
  const child = thinker({ ...common, name: 'child', input, output: answer, palette: [look, change] })
  const parent = thinker({
    ...common,
    name: 'parent',
    input: z.object({ task: z.string() }),
    output: answer,
    palette: [look, change, set, child],
  })
  return { parent, child }
}

/** What the errand gives when it completes. */
export const ErrandResult = z.strictObject({
  first: z.string(),
  atOnce: z.strictObject({
    changed: z.string(),
    changedEach: z.array(z.string()),
    asked: z.enum(['done', 'none']),
  }),
  each: z.array(z.string()).length(3),
  within: z.string(),
  yes: z.literal(true),
  last: z.string(),
})

/** For this item a tool throws `Throttled` now and then, before it has done anything. */
const AT_TIMES_THROTTLED = 'busy'
const TRYING = { retry: { on: ['Throttled' as const], attempts: 3 } }

/** What the errand asks a person under. */
export const QUESTION = 'may we'

/**
 * A doer that does one of everything: tools of each kind, an agent and another doer, what runs at once and may be given up, a map, a question to
 * a person. `unknown` stands for what was interrupted.
 */
export function createDoers(
  { look, change, set, gamble }: Tools,
  { child }: ReturnType<typeof createAgents>,
) {
  const description = 'a doer'
  const changing = (d: Plan, name: string, item: Arg<string>) =>
    d.recover(`or unknown ${name}`, () => d.step(name, change, { item }, TRYING).done, {
      on: ['Interrupted'],
      with: () => 'unknown',
    })
  const inner = doer({ name: 'inner', description, input, output }).plan((d, { item }) => ({
    done: changing(d, 'change inside', item),
  }))
  const errand = doer({
    name: 'errand',
    description,
    input: input.extend({ items: z.array(z.string()).max(3) }),
    output: z.unknown(),
  }).plan((d, { item, items }) => {
    const first = d.step('look', look, { item }).done
    const atOnce = d.recover(
      'all or none',
      () => {
        const { changed, changedEach, asked } = d.parallel('at once', {
          changed: () => changing(d, 'change', item),
          changedEach: () =>
            d.map('each at once', items, () => changing(d, 'change each', AT_TIMES_THROTTLED)),
          asked: () => d.step('ask', child, { item }).answer,
          gambled: () => d.step('gamble', gamble, { item }).done,
        })
        return { changed, changedEach, asked }
      },
      {
        on: ['NotFound', 'Throttled'],
        with: () => ({ changed: d.step(GOING_ON, look, { item }).done, changedEach: [], asked: 'none' }),
      },
    )
    const each = d.map('each', items, (one) => d.step('set', set, { item: one }).done)
    const within = d.step('another', inner, { item }).done
    const { yes } = d.ask(QUESTION, {
      text: 'May we?',
      answer: z.object({ yes: z.boolean() }),
      deadlineSeconds: 36_000,
    })
    return { first, atOnce, each, within, yes, last: changing(d, 'change last', item) }
  })
  return { errand, inner }
}

/** What each agent asks for, turn by turn; then it answers. */
const SCRIPTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  parent: [['look', 'change', 'child'], ['set', 'look'], ['change']],
  child: [['change', 'look']],
}

/** A model that follows the script and, like a real provider, cannot be sent a call without its result. */
export function createScript(world: World, worker: Worker, watch: Watch, bad: number): Model {
  return {
    exchange(exchange) {
      refuseOpenCalls(exchange, watch)
      const said = exchange.messages.filter(
        (message) => message.role === 'assistant' && message.calls.length > 0,
      ).length
      watch.asking(`${exchange.answer.name} ${exchange.messages.length}`, worker)
      const seconds = world.chance() < 0.05 ? 100 + world.chance() * 300 : 1 + world.chance() * 5
      return worker.step(seconds * 1_000, () => reply(world, exchange, said, bad))
    },
  }
}

function reply(world: World, { answer, tools }: Exchange, said: number, bad: number): Reply {
  const common = { usage: { inputTokens: 10, outputTokens: 5 }, model: 'script' }
  if (bad > 0 && world.chance() < bad) {
    if (world.chance() < 0.3) throw new Throttled('Later')
    if (world.chance() < 0.1) throw new InvalidInput('A request that no provider takes')
    return { ...common, text: 'no JSON', calls: [], stop: 'answer' }
  }
  const calls = SCRIPTS[answer.name]?.[said]
  if (!calls) return { ...common, text: '{"answer":"done"}', calls: [], stop: 'answer' }
  if (tools.length === 0) throw new Error('The palette is empty')
  return {
    ...common,
    text: '',
    calls: calls.map((name, index) => ({ id: `${said}-${index}`, name, arguments: '{"item":"x"}' })),
    stop: 'calls',
  }
}

function refuseOpenCalls({ messages }: Exchange, watch: Watch): void {
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return
    message.calls.forEach((call, place) => {
      const next = messages[index + 1 + place]
      if (next?.role !== 'tool' || next.callId !== call.id)
        watch.say(`the call ${call.id} was sent without its result`)
    })
  })
}
