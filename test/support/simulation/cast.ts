import * as z from 'zod'
import type { Callable } from '../../../src/core/callable.ts'
import { InvalidInput, Throttled } from '../../../src/core/errors.ts'
import { thinker } from '../../../src/core/thinker.ts'
import { type Tool, tool } from '../../../src/core/tool.ts'
import type { Exchange, Model, Reply } from '../../../src/model/types.ts'
import type { Watch } from './watch.ts'
import type { Worker } from './workers.ts'
import type { World } from './world.ts'

/** What every tool's timeout is, in seconds. */
export const TOOL_TIMEOUT_S = 60

const input = z.object({ item: z.string() })
const output = z.object({ done: z.string() })

/** A tool of each kind, as one worker runs them. */
export function createTools(world: World, worker: Worker, watch: Watch, hang: number): Tool[] {
  const work = async (key: string, changes: boolean, signal: AbortSignal) => {
    const durationMs = 200 + world.chance() * 5_000
    watch.begin(key, worker)
    await worker.step(durationMs / 2, () => (changes ? watch.effect(key, worker) : undefined))
    if (hang > 0 && world.chance() < hang) {
      if (world.chance() < 0.5) return worker.block()
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    await worker.step(durationMs / 2, () => undefined)
    return { done: key }
  }
  const keyOf = ({ runId, callId }: { runId: string; callId: string }) => {
    const [turn = '', entry] = callId.split('/')
    return `RUN#${runId}/T#${turn.padStart(6, '0')}#R/${entry}`
  }
  const declare = (name: string, marks: { readOnly?: boolean; idempotent?: boolean }) =>
    tool({ name, description: name, input, output, timeoutSeconds: TOOL_TIMEOUT_S, ...marks }).run(
      (_, { caller, signal }) =>
        work(`${keyOf(caller)}${marks.idempotent ? '!idempotent' : ''}`, !marks.readOnly, signal),
    )
  return [declare('look', { readOnly: true }), declare('change', {}), declare('set', { idempotent: true })]
}

/** A parent, and a child that it may call. */
export function createAgents([look, change, set]: readonly Callable[]) {
  if (!look || !change || !set) throw new Error('There are three tools')
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
  return [parent, child]
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
