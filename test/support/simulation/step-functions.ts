import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import type { Plan } from '../../../src/compile/plan.ts'
import { renderMachine } from '../../../src/compile/render-machine.ts'
import { machineName } from '../../../src/core/function-name.ts'
import { statusOf, TOKEN_IS_OVER, unless } from '../../../src/doors/machines.ts'
import { createDescribeOperations } from '../../../src/local/step-functions/api/describe-operations.ts'
import { createExecutionOperations } from '../../../src/local/step-functions/api/execution-operations.ts'
import { createMachineOperations } from '../../../src/local/step-functions/api/machine-operations.ts'
import type { Operation } from '../../../src/local/step-functions/api/operation.ts'
import { createTaskOperations } from '../../../src/local/step-functions/api/task-operations.ts'
import { createTaskToken } from '../../../src/local/step-functions/api/task-token.ts'
import { createEngine } from '../../../src/local/step-functions/engine.ts'
import { createEvaluator } from '../../../src/local/step-functions/expressions/evaluate.ts'
import type { TaskOutcome } from '../../../src/local/step-functions/integrations/integration.ts'
import type { LambdaRequest } from '../../../src/local/step-functions/integrations/lambda.ts'
import { executionArn, type Place, stateMachineArn } from '../../../src/local/step-functions/names.ts'
import {
  createExecutionStore,
  type ExecutionStore,
} from '../../../src/local/step-functions/store/execution-store.ts'
import {
  createMachineStore,
  type MachineStore,
} from '../../../src/local/step-functions/store/machine-store.ts'
import { type Database, openDatabase } from '../../../src/local/step-functions/store/open-database.ts'
import type { Machines } from '../../../src/runtime/ports.ts'
import type { Called, Faults, Lambda, Message, Worker } from './workers.ts'
import type { World } from './world.ts'

const PREFIX = 'world'
const PLACE: Place = { region: 'us-east-1', accountId: '000000000000' }

export interface StepFunctions {
  /** As one worker reaches them: each request is a step of it. */
  machines(worker: Worker): Machines
  /** Names of executions that have not ended. */
  running(): readonly string[]
  close(): Promise<void>
}

interface Stores {
  readonly database: Database
  readonly machines: MachineStore
  readonly executions: ExecutionStore
  /** Definitions that are there already: to read one takes longer than a run. */
  readonly created: Set<string>
}

/** All simulations of a process have one database, and of each only the machines stay. */
let stores: Stores | undefined
function openStores(): Stores {
  if (stores) {
    stores.database.connection.exec('DELETE FROM execution; DELETE FROM thread; DELETE FROM event')
    return stores
  }
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-simulation-'))
  const database = openDatabase(directory)
  process.once('exit', () => {
    database.close()
    rmSync(directory, { recursive: true })
  })
  const [machines, executions] = [createMachineStore(database), createExecutionStore(database)]
  stores = { database, machines, executions, created: new Set() }
  return stores
}

/** The stand-in's own engine and operations on the world's clock; its tasks are invocations of the world's Lambda. */
export function createStepFunctions(
  world: World,
  { machines: planned }: Pick<Plan, 'machines'>,
  options: {
    readonly faults: Faults
    readonly lambda: () => Lambda
    readonly mayInvoke: (from: string, to: string) => boolean
  },
): StepFunctions {
  const { faults, lambda, mayInvoke } = options
  const { machines, executions, created } = openStores()
  const happens = (likelihood: number) => likelihood > 0 && world.chance() < likelihood
  const clock = {
    now: world.now,
    setTimer(delayMs: number, fire: () => void) {
      let isSet = true
      world.at(delayMs, () => (isSet ? fire() : undefined))
      return () => {
        isSet = false
      }
    },
  }

  const invoke = async (from: string, { functionName, invocationType, payload }: LambdaRequest) => {
    const to = functionName.slice(PREFIX.length + 1)
    if (!mayInvoke(from, to)) return serviceFailure('Lambda.AccessDeniedException')
    const message: Message = JSON.parse(payload ?? '{}')
    if (invocationType === 'Event') {
      await pass(20 + world.chance() * 40)
      lambda().invoke(to, message)
      return succeeded(null)
    }
    if (happens(faults.lostMessage)) return serviceFailure('Lambda.TooManyRequestsException')
    const called = lambda().call(to, message)
    if (!happens(faults.lostResponse)) return outcomeOf(await called)
    // The function goes on, and nobody hears what it says.
    await pass(world.chance() * 5_000)
    return serviceFailure('Lambda.SdkClientException')
  }
  const pass = (ms: number) => new Promise<void>((resolve) => world.at(ms, resolve))

  const engine = createEngine({
    store: executions,
    tasks: {
      async invoke(request, { executionId }) {
        if (request.service !== 'lambda') throw new Error(`No doer here asks for ${request.service}`)
        return invoke(`machine ${machineOf(executions.require(executionId).machineArn)}`, request)
      },
      recover: () => Promise.reject(new Error('The engine is never started on what another left')),
      acknowledge: () => undefined,
    },
    clock,
    services: {
      evaluator: createEvaluator({ nowMs: world.now, random: world.chance, uuid: world.unique }),
      region: PLACE.region,
      random: world.chance,
      uuid: world.unique,
      createToken: (arn, threadId) => createTaskToken({ executionArn: arn, threadId }, world.unique()),
    },
    isDeleting: () => false,
    onStatusChange({ name, ended }) {
      // EventBridge's best effort.
      const detail = { name, status: ended?.outcome.status ?? ('RUNNING' as const) }
      world.at(100 + world.chance() * 2_000, () =>
        lambda().invoke('resume', { source: 'aws.states', detail }),
      )
    },
  })
  const dependencies = {
    machines,
    executions,
    engine,
    clock,
    place: PLACE,
    uuid: world.unique,
    random: world.chance,
  }
  const api: Readonly<Record<string, Operation>> = {
    ...createMachineOperations(dependencies),
    ...createExecutionOperations(dependencies),
    ...createDescribeOperations(dependencies),
    ...createTaskOperations(executions, engine),
  }
  const request: Request = async (operation, body) => {
    const run = api[operation]
    if (!run) throw new Error(`There is no ${operation}`)
    return run(body)
  }
  for (const { id, definition } of planned) {
    const text = JSON.stringify(renderMachine(definition, { prefix: PREFIX }))
    if (created.has(text)) continue
    created.add(text)
    const roleArn = 'arn:aws:iam::000000000000:role/world'
    void request('CreateStateMachine', { name: machineName(PREFIX, id), definition: text, roleArn })
  }

  return {
    machines: (worker) => machinesOf(world, worker, request),
    running: () => executions.running().map((id) => executions.require(id).name),
    close: engine.close,
  }
}

type Request = (operation: string, body: object) => Promise<unknown>

function machinesOf(world: World, worker: Worker, request: Request): Machines {
  const step = <T>(effect: () => Promise<T>) => worker.step(20 + world.chance() * 40, effect)
  return {
    start: (doer, runId, input) =>
      step(async () => {
        const machine = stateMachineArn(PLACE, machineName(PREFIX, doer))
        const body = { stateMachineArn: machine, name: runId, input: JSON.stringify(input) }
        await unless(['ExecutionAlreadyExists'], () => request('StartExecution', body))
      }),
    stop: (doer, runId) =>
      step(async () => {
        const body = { executionArn: arnOf(doer, runId) }
        await unless(['ExecutionDoesNotExist'], () => request('StopExecution', body))
      }),
    describe: (doer, runId) =>
      step(async () => {
        const body = { executionArn: arnOf(doer, runId) }
        const answer = await unless(['ExecutionDoesNotExist'], () => request('DescribeExecution', body))
        return statusOf(Described.optional().parse(answer))
      }),
    answer: (taskToken, answer) =>
      step(async () => {
        await unless(TOKEN_IS_OVER, () =>
          'output' in answer
            ? request('SendTaskSuccess', { taskToken, output: JSON.stringify(answer.output) })
            : request('SendTaskFailure', {
                taskToken,
                error: answer.failure.name,
                cause: answer.failure.message,
              }),
        )
      }),
  }
}

const arnOf = (doer: string, runId: string) => executionArn(PLACE, machineName(PREFIX, doer), runId)
const machineOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1 + machineName(PREFIX, '').length)
const Described = z.object({
  status: z.string(),
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
})

const succeeded = (payload: unknown): TaskOutcome => ({
  kind: 'succeeded',
  result: { StatusCode: 200, Payload: JSON.parse(JSON.stringify(payload ?? null)) },
})
const serviceFailure = (error: string): TaskOutcome => ({
  kind: 'failed',
  by: 'service',
  failure: { error, cause: 'The world is like this' },
})
const outcomeOf = (called: Called): TaskOutcome =>
  called.ok
    ? succeeded(called.result)
    : {
        kind: 'failed',
        by: 'work',
        failure: { error: called.error.errorType, cause: JSON.stringify(called.error) },
      }
