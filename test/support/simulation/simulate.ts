import type { Plan } from '../../../src/compile/plan.ts'
import { createRegistry } from '../../../src/core/registry.ts'
import { submitRun } from '../../../src/runtime/submit-run.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { Table } from '../../../src/store/table.ts'
import type { RunHistory } from '../../../src/store/turns.ts'
import { createAgents, createDoers, createTools, ErrandResult, QUESTION, TOOL_TIMEOUT_S } from './cast.ts'
import { createFunctions } from './functions.ts'
import { createMemoryTable } from './memory-table.ts'
import { createRights, planOf } from './rights.ts'
import { createStepFunctions } from './step-functions.ts'
import { createWatch, type Outcome } from './watch.ts'
import {
  createLambda,
  createWorkerPorts,
  type Faults,
  type Lambda,
  NO_FAULTS,
  type Worker,
} from './workers.ts'
import { createWorld, type World } from './world.ts'

export interface Simulation {
  readonly seed: number
  /** Which agent is run: a thinker with a child, or a doer with an agent, another doer and a question to a person. Default `parent`. */
  readonly root?: 'parent' | 'errand'
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
const INPUTS = {
  parent: { task: 'all of it' },
  errand: { item: 'x', items: ['a', 'b', 'c'] },
}

/** What crashes, tools that hang and a model that is of no use bring a doer to, and nothing else may. */
const MAY_FAIL =
  /Runtime exited|Task timed out|did not end within|is being run by an earlier delivery|Its function died 3 times|A request that no provider takes|without an answer$|was begun 3 times|The world is like this/

/** What is deployed is the same in every world. */
const plans = new Map<string, Plan>()

/** Runs one family of runs to its end under faults, and says what broke. */
export async function simulate(options: Simulation): Promise<Outcome> {
  const { root = 'parent' } = options
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
  const timeoutMs = (id: string) =>
    id.startsWith('tool-') ? (TOOL_TIMEOUT_S + 5) * 1_000 : id.startsWith('turn-') ? TURN_TIMEOUT_MS : 60_000
  const { hang = 0, badModel = 0 } = options
  const tools = createTools(world, idleWorker, watch, hang)
  const thinkers = createAgents(tools)
  const doers = createDoers(tools, thinkers)
  const agent = { ...thinkers, ...doers }[root]
  const plan = plans.get(root) ?? planOf(createRegistry([agent]))
  plans.set(root, plan)
  const mayInvoke = createRights(plan, watch.say)
  const stepFunctions = createStepFunctions(world, plan, { faults, lambda: () => lambda, mayInvoke })
  const functions = createFunctions({
    world,
    watch,
    thinkers: Object.values(thinkers),
    doers: Object.values(doers),
    hang,
    badModel,
  })
  const portsOf = (worker: Worker, table: Table) =>
    createWorkerPorts(
      world,
      () => lambda,
      worker,
      { store: createStore(table, world.unique), machines: stepFunctions.machines(worker) },
      mayInvoke,
    )
  const lambda: Lambda = createLambda(world, {
    faults,
    timeoutMs,
    handle: (worker, message) =>
      functions(portsOf(worker, withSteps(world, worker, truth, faults)), worker, message),
    ...(options.crashAt !== undefined && { crashAt: options.crashAt }),
    ...(options.loseMessage !== undefined && { loseMessage: options.loseMessage }),
    onCrash: watch.crashed,
  })

  const gateway: Worker = { ...idleWorker, step: async (_, effect) => effect() }
  const { runId } = await submitRun(portsOf(gateway, truth), agent, INPUTS[root], {
    idempotencyKey: `seed-${options.seed}`,
  })
  const startedAt = world.now()
  for (let minute = 1; minute < LIMIT_MS / 60_000; minute++)
    world.at(minute * 60_000, () => lambda.invoke('resume', { kind: 'sweep' }))
  if (options.cancel)
    world.at(world.chance() * 90_000, () => lambda.invoke('cancel', { kind: 'tell', runId }))
  const store = createStore(truth, world.unique)
  if (root === 'errand') askPerson(world, () => lambda, { store, runId })

  let quietSince: number | undefined
  // Messages that are still under way when all is told come later, and must change nothing.
  await world.run(LIMIT_MS, () => {
    if (!watch.allTold() || lambda.alive.size > 0) return false
    quietSince ??= world.now()
    return world.now() - quietSince > LATEST_MESSAGE_MS
  })
  for (const name of stepFunctions.running()) watch.say(`the machine of ${name} never ended`)
  await stepFunctions.close()
  const history = await store.turns.history(runId)
  const fault = root === 'errand' && history ? faultOf(history) : undefined
  if (fault !== undefined) watch.say(fault)
  return watch.outcome(runId, startedAt)
}

/** What is wrong with how an errand ended. */
function faultOf({ run, steps }: RunHistory): string | undefined {
  if (run.status === 'completed' && !ErrandResult.safeParse(run.output).success)
    return `the errand gave ${JSON.stringify(run.output)}`
  if (run.status !== 'failed' || MAY_FAIL.test(run.error.message)) return undefined
  // A question that was lost with all who died over it was never on record, and nobody could answer it.
  const isAsked = steps.some(({ name }) => name === QUESTION)
  return !isAsked && run.error.name === 'Timeout'
    ? undefined
    : `the errand failed, since ${run.error.message}`
}

/** A person who looks now and then whether something is asked, and answers until the answer is on record: whether anybody was told is not their business. */
function askPerson(
  world: World,
  lambda: () => Lambda,
  { store, runId }: { readonly store: Store; readonly runId: string },
): void {
  const look = async () => {
    const history = await store.turns.history(runId)
    if (history?.run.status !== 'running') return
    const question = history.steps.find(({ name }) => name === QUESTION)
    if (question?.entry.result) return
    if (question) lambda().invoke('person', { kind: 'tell', runId })
    world.at(5_000 + world.chance() * 60_000, look)
  }
  world.at(world.chance() * 60_000, look)
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
