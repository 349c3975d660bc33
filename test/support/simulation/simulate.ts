import { advance } from '../../../src/runtime/advance.ts'
import { cancelRun } from '../../../src/runtime/cancel-run.ts'
import { ResumeMessage, ToolMessage, TurnMessage } from '../../../src/runtime/messages.ts'
import { resume } from '../../../src/runtime/resume.ts'
import { runCall } from '../../../src/runtime/run-call.ts'
import { submitRun } from '../../../src/runtime/submit-run.ts'
import { createStore } from '../../../src/store/store.ts'
import type { Table } from '../../../src/store/table.ts'
import { createAgents, createScript, createTools, TOOL_TIMEOUT_S } from './cast.ts'
import { createMemoryTable } from './memory-table.ts'
import { createRights } from './rights.ts'
import { createWatch, type Outcome } from './watch.ts'
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
const LIMIT_MS = 24 * 3_600_000
const LATEST_MESSAGE_MS = 100_000
const TURN_TIMEOUT_MS = 900_000

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
