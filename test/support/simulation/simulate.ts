import * as z from 'zod'
import { compilePlan } from '../../../src/compile/compile-plan.ts'
import type { Callable } from '../../../src/core/callable.ts'
import { InvalidInput, Throttled } from '../../../src/core/errors.ts'
import { createRegistry } from '../../../src/core/registry.ts'
import { thinker } from '../../../src/core/thinker.ts'
import { type Tool, tool } from '../../../src/core/tool.ts'
import type { Exchange, Model, Reply } from '../../../src/model/types.ts'
import { advance } from '../../../src/runtime/advance.ts'
import { cancelRun } from '../../../src/runtime/cancel-run.ts'
import { ResumeMessage, ToolMessage, TurnMessage } from '../../../src/runtime/messages.ts'
import type { Machines } from '../../../src/runtime/ports.ts'
import { resume } from '../../../src/runtime/resume.ts'
import { runCall } from '../../../src/runtime/run-call.ts'
import { submitRun } from '../../../src/runtime/submit-run.ts'
import { createStore } from '../../../src/store/store.ts'
import type { Attributes, Key, Table } from '../../../src/store/table.ts'
import { createMemoryTable } from './memory-table.ts'
import {
  createLambda,
  createWorkerPorts,
  type Faults,
  type Lambda,
  type Message,
  NO_FAULTS,
  type Worker,
} from './workers.ts'
import { createWorld, type World } from './world.ts'

export interface Simulation {
  readonly seed: number
  readonly faults?: Partial<Faults>
  /** Cancels the root run at a random moment of its first minutes. */
  readonly cancel?: boolean
  /** Model replies that cannot be used, and a provider that throttles. */
  readonly badModel?: number
  /** Tools that hang, with or without heeding their signal. */
  readonly hang?: number
  /** Everything takes its usual time. */
  readonly steady?: boolean
  readonly crashAt?: number
  readonly loseMessage?: number
}

export interface Outcome {
  /** How the root run ended. */
  readonly status: string
  /** Every promise that was broken, in words; empty when all held. */
  readonly broken: readonly string[]
  /** Virtual milliseconds from submission to the end of the root run. */
  readonly tookMs: number
  readonly steps: number
  readonly messages: number
  readonly crashes: number
  /** What kind of message `loseMessage` was. */
  readonly lost: string | undefined
}

const LIMIT_MS = 24 * 3_600_000
const LATEST_MESSAGE_MS = 100_000
const TURN_TIMEOUT_MS = 900_000
const TOOL_TIMEOUT_S = 60

/** Runs one family of runs (a parent thinker, a child thinker, tools of each kind) to its end under faults, and says what broke. */
export async function simulate(options: Simulation): Promise<Outcome> {
  const world = createWorld(options.seed, { steady: options.steady ?? false })
  const faults = { ...NO_FAULTS, ...options.faults }
  const watch = createWatch(world, () => lambda)
  const truth = createMemoryTable({
    now: world.now,
    staleMs: () => (world.chance() < 0.3 ? world.chance() * 2_000 : 0),
    indexLagMs: () => world.chance() * 2_000,
    pageSize: () => 1 + Math.floor(world.chance() * 2),
    onWrite: watch.onWrite,
  })
  const machines = watch.machines
  const timeoutMs = (id: string) =>
    id.startsWith('tool-') ? (TOOL_TIMEOUT_S + 5) * 1_000 : id.startsWith('turn-') ? TURN_TIMEOUT_MS : 60_000
  const tools = (worker: Worker) => createTools(world, worker, watch, options.hang ?? 0)
  const agents = createAgents(tools(idleWorker))

  const mayInvoke = createRights(agents, watch.say)

  const handle = async (worker: Worker, message: Message): Promise<void> => {
    const table = withSteps(world, worker, truth, faults)
    const services = { store: createStore(table, world.unique), machines: machines(worker) }
    const ports = createWorkerPorts(world, () => lambda, worker, services, mayInvoke)
    if (worker.functionId === 'cancel') {
      await cancelRun(ports, runId)
      watch.cancelled()
    } else if (worker.functionId === 'resume' || worker.functionId === 'rescue')
      await resume(ports, ResumeMessage.parse(message))
    else if (worker.functionId.startsWith('turn-')) {
      const agent = agents.find(({ name }) => worker.functionId === `turn-${name}`)
      const parsed = TurnMessage.parse(message)
      if (!agent || parsed.kind !== 'nudge') throw new Error(`Nobody takes ${JSON.stringify(message)}`)
      const model = createScript(world, worker, watch, options.badModel ?? 0)
      await advance(ports, { thinker: agent, model }, worker.invocation, parsed)
    } else {
      const name = worker.functionId.slice('tool-'.length)
      const called = tools(worker).find((candidate) => candidate.name === name)
      const parsed = ToolMessage.parse(message)
      if (!called || parsed.kind !== 'call') throw new Error(`Nobody takes ${JSON.stringify(message)}`)
      await runCall(ports, called, worker.invocation, parsed, {})
    }
  }
  const lambda: Lambda = createLambda(world, {
    faults,
    timeoutMs,
    handle,
    ...(options.crashAt !== undefined && { crashAt: options.crashAt }),
    ...(options.loseMessage !== undefined && { loseMessage: options.loseMessage }),
    onCrash: watch.crashed,
  })

  const [parent] = agents
  if (!parent) throw new Error('There is no agent')
  const gateway: Worker = { ...idleWorker, step: async (_, effect) => effect() }
  const services = { store: createStore(truth, world.unique), machines: machines(gateway) }
  const ports = createWorkerPorts(world, () => lambda, gateway, services, mayInvoke)
  const { runId } = await submitRun(
    ports,
    parent,
    { task: 'all of it' },
    { idempotencyKey: `seed-${options.seed}` },
  )
  const startedAt = world.now()
  for (let minute = 1; minute < LIMIT_MS / 60_000; minute++)
    world.at(minute * 60_000, () => lambda.invoke('resume', { kind: 'sweep' }))
  if (options.cancel)
    world.at(world.chance() * 90_000, () => lambda.invoke('cancel', { kind: 'tell', runId }))

  let quietSince: number | undefined
  // Messages that are still under way when all is told come later, and must change nothing.
  await world.run(LIMIT_MS, () => {
    if (!watch.allTold() || lambda.alive.size > 0) return false
    quietSince ??= world.now()
    return world.now() - quietSince > LATEST_MESSAGE_MS
  })
  return watch.outcome(runId, startedAt)
}

const idleWorker: Worker = {
  functionId: 'gateway',
  invocation: { requestId: 'gateway', owner: 'gateway', deadline: Number.POSITIVE_INFINITY },
  isAlive: () => true,
  step: () => new Promise(() => undefined),
  setTimer: () => () => undefined,
  block: () => new Promise(() => undefined),
}

/** Each request to the table is a step of its worker, now and then a slow one; a response that is lost makes the SDK send the request again. */
function withSteps(world: World, worker: Worker, table: Table, faults: Faults): Table {
  const latency = () => (world.chance() < 0.01 ? world.chance() * 20_000 : 3 + world.chance() * 20)
  const ask = <T>(request: () => Promise<T>) => worker.step(latency(), request)
  const write = <T>(request: () => Promise<T>) =>
    worker.step(latency(), async () => {
      const answer = await request()
      return faults.lostResponse > 0 && world.chance() < faults.lostResponse ? request() : answer
    })
  return {
    get: (...parameters) => ask(() => table.get(...parameters)),
    queryPage: (...parameters) => ask(() => table.queryPage(...parameters)),
    queryDue: (...parameters) => ask(() => table.queryDue(...parameters)),
    put: (...parameters) => write(() => table.put(...parameters)),
    update: (...parameters) => write(() => table.update(...parameters)),
  }
}

/** Who may invoke whom is what the plan says, as IAM would hold it. */
function createRights(agents: readonly Callable[], say: (what: string) => void) {
  const registry = createRegistry(agents.slice(0, 1))
  const places = new Map(
    registry.all.map(({ definition: { name } }) => [name, { name, file: `${name}.ts`, export: name }]),
  )
  const plan = compilePlan(registry, places)
  const invokes = new Map(plan.functions.map((planned) => [planned.id, planned.invokes]))
  return (from: string, to: string): boolean => {
    const isAllowed = invokes.get(from === 'cancel' ? 'gateway' : from)?.includes(to) ?? false
    if (!isAllowed) say(`${from} invoked ${to}, which the plan does not allow`)
    return isAllowed
  }
}

type Watch = ReturnType<typeof createWatch>

/** Sees everything that happens and holds it against what was promised. */
function createWatch(world: World, lambda: () => Lambda) {
  const broken: string[] = []
  const commits = new Map<string, number>()
  const effects = new Map<string, number>()
  const working = new Map<string, Worker>()
  const ends = new Map<string, { status: string; at: number; told: boolean }>()
  const runs = new Set<string>()
  let cancelledAt: number | undefined
  let crashes = 0
  const claimsAndCommits: { what: string; at: number }[] = []

  const onResult = (sk: string, entry: string, after: Attributes) => {
    const text = String(after[`r${entry}`])
    const claimant = working.get(`${after.pk}/${sk}/${entry}`)
    const isLive = claimant?.isAlive() && after[`r${entry}o`] !== claimant.invocation.owner
    if (!claimant || !text.includes('Interrupted') || !isLive) return
    // Lambda's report does not tell two deliveries of one event apart: the one case in which it may be said of a live call.
    if (lambda().doublesThatDied.has(claimant.invocation.requestId)) return
    broken.push(`a live call was called interrupted: ${after.pk} ${sk} ${entry}`)
  }

  return {
    crashed: () => {
      crashes += 1
    },
    cancelled: () => {
      cancelledAt = world.now()
    },
    say: (what: string) => broken.push(what),
    /** A lease is there so that nobody pays twice for a turn. */
    asking(turn: string, worker: Worker) {
      const other = working.get(turn)
      const isLive = other?.isAlive() && !lambda().doublesThatDied.has(other.invocation.requestId)
      if (isLive) broken.push(`the model was asked twice at once for ${turn}`)
      working.set(turn, worker)
    },
    effect(key: string, worker: Worker) {
      effects.set(key, (effects.get(key) ?? 0) + 1)
      working.set(key, worker)
    },
    begin: (key: string, worker: Worker) => working.set(key, worker),
    onWrite({ key, before, after }: { key: Key; before: Attributes | undefined; after: Attributes }) {
      const { pk, sk } = key
      if (sk === 'RUN') {
        runs.add(pk)
        if (after.status !== 'running')
          ends.set(pk, {
            status: String(after.status),
            at: ends.get(pk)?.at ?? world.now(),
            told: after.told === true,
          })
      }
      if (/^T#\d{6}$/.test(sk) && after.state === 'committed' && before?.state !== 'committed') {
        commits.set(pk + sk, (commits.get(pk + sk) ?? 0) + 1)
        claimsAndCommits.push({ what: `a commit of ${pk} ${sk}`, at: world.now() })
      }
      if (!sk.endsWith('#R')) return
      for (const name of Object.keys(after)) {
        const entry = /^[rc](\d+)$/.exec(name)?.[1]
        if (
          entry !== undefined &&
          name.startsWith('r') &&
          before?.[name] !== undefined &&
          before[name] !== after[name]
        )
          broken.push(`a result was changed after it was written: ${pk} ${sk} ${entry}`)
        if (entry === undefined || before?.[name] !== undefined) continue
        if (name.startsWith('r')) onResult(sk, entry, after)
        else claimsAndCommits.push({ what: `a claim in ${pk} ${sk}`, at: world.now() })
      }
    },
    machines: (worker: Worker): Machines => ({
      start: () => Promise.reject(new Error('No doers here')),
      stop: () => Promise.reject(new Error('No doers here')),
      describe: () => Promise.reject(new Error('No doers here')),
      answer: () => worker.step(10, () => undefined),
    }),
    allTold: () => runs.size > 0 && [...runs].every((pk) => ends.get(pk)?.told),
    outcome(runId: string, startedAt: number): Outcome {
      const root = ends.get(`RUN#${runId}`)
      for (const pk of runs) {
        if (!ends.has(pk)) broken.push(`${pk} never ended`)
        else if (!ends.get(pk)?.told) broken.push(`the end of ${pk} was never told`)
      }
      for (const [turn, count] of commits) if (count > 1) broken.push(`${turn} was committed ${count} times`)
      for (const [key, count] of effects)
        if (count > 1 && !key.endsWith('!idempotent')) broken.push(`${key} took effect ${count} times`)
      const ackAt = cancelledAt
      if (ackAt !== undefined)
        for (const { what, at } of claimsAndCommits) if (at > ackAt) broken.push(`after the cancel: ${what}`)
      return {
        status: root?.status ?? 'running',
        broken,
        tookMs: (root?.at ?? world.now()) - startedAt,
        steps: lambda().steps(),
        messages: lambda().messages(),
        crashes,
        lost: kindOf(lambda().lost()),
      }
    },
  }
}

const kindOf = (message: Message | undefined): string | undefined =>
  message && ('kind' in message ? message.kind : 'report')

const input = z.object({ item: z.string() })
const output = z.object({ done: z.string() })

function createTools(world: World, worker: Worker, watch: Watch, hang: number): Tool[] {
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

function createAgents([look, change, set]: readonly Callable[]) {
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
function createScript(world: World, worker: Worker, watch: Watch, bad: number): Model {
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
