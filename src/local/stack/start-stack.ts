import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan } from '../../compile/plan.ts'
import type { Clock } from '../clock.ts'
import { dropReplicas } from '../dynamodb/faults/drop-replicas.ts'
import { startTableFaults } from '../dynamodb/faults/start-table-faults.ts'
import { startDynamoDb } from '../dynamodb/start-dynamodb.ts'
import type { Faults } from '../lambda/faults.ts'
import { startLambda } from '../lambda/start-lambda.ts'
import { startRehearsalModel } from '../models/rehearsal.ts'
import { startStepFunctions } from '../step-functions/start-step-functions.ts'
import { createFunctionEnvironment, type Endpoints } from './environment.ts'
import { createInvoke } from './invoke.ts'
import { localFunctions } from './local-functions.ts'
import { createMachines } from './machines.ts'
import { createRandomFaults, LOST_WRITE_ANSWERS } from './random-faults.ts'
import { createRunsTable } from './runs-table.ts'
import { startSweep } from './sweep.ts'

export interface StackOptions {
  /** The project, as its plan was made. */
  readonly directory: string
  readonly plan: Plan
  /** Where tables, queues and bundles are kept: `.turnwise/local`. */
  readonly stateDirectory: string
  /** Variables that are set replace what would be started: AWS_ENDPOINT_URL_DYNAMODB, _LAMBDA, _SFN, OPENAI_API_KEY. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the project's own tools read: `{ ORDERS_TABLE: 'orders' }`. */
  readonly projectEnvironment?: Readonly<Record<string, string>>
  /** Runs when the endpoints are there and before the functions are, with the environment of the functions. */
  readonly beforeRuns?: (environment: Readonly<Record<string, string>>) => Promise<void>
  /** Over all functions; default 8. */
  readonly maximumProcesses?: number
  /** Default: a minute, as EventBridge's rule has it. */
  readonly sweepEveryMs?: number
  /** Before Lambda's retries; default AWS's one and two minutes. */
  readonly retryDelaysMs?: readonly number[]
  /** Is given the URL of Lambda's stand-in and answers the one that functions and gateway are told, as of a proxy before it. */
  readonly lambdaFront?: (url: string) => string
  /** How long `close` lets functions run on; default 5,000. */
  readonly closeGraceMs?: number
  /** Bundles functions anew when their sources change; default false. */
  readonly watch?: boolean
  /** Has invocations and the table go wrong as AWS's may, in a way that follows from this number; default: nothing goes wrong. */
  readonly faultSeed?: number
  /** What is to go wrong with invocations, in place of what a `faultSeed` has go wrong with them. */
  readonly faults?: Faults
  readonly clock?: Clock
  readonly log: (line: string) => void
}

export interface Stack {
  readonly endpoints: Endpoints
  /** What every function of the project is given, the endpoints included. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether the rehearsal model answers in place of a provider's. */
  readonly isRehearsal: boolean
  close(): Promise<void>
}

/** What the deployed rule matches: a machine that succeeds tells its end by itself. */
const TOLD_STATUSES = new Set(['FAILED', 'TIMED_OUT', 'ABORTED'])

/**
 * Starts what AWS would be: the table, Lambda with the plan's functions, Step Functions with its machines, a model if there is no key, and
 * the sweep. The functions know it by endpoints alone. What was going on when it was last stopped, or killed, goes on.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { stateDirectory, plan, log } = options
  // A variable that is set to nothing is not set.
  const env = Object.fromEntries(Object.entries(options.env).filter(([, value]) => value !== ''))
  await mkdir(stateDirectory, { recursive: true })
  const started: { close(): Promise<void> }[] = []
  const start = async <S extends { readonly url: string; close(): Promise<void> }>(
    given: string | undefined,
    begin: () => Promise<S>,
  ): Promise<{ readonly url: string; readonly own?: S }> => {
    if (given !== undefined) return { url: given }
    const own = await begin()
    started.push(own)
    return { url: own.url, own }
  }
  const close = async () => {
    for (const part of started.toReversed()) await part.close()
  }

  try {
    const { faultSeed } = options
    const table = await start(env.AWS_ENDPOINT_URL_DYNAMODB, () =>
      startDynamoDb({ directory: join(stateDirectory, 'dynamodb') }),
    )
    const dynamoDb =
      faultSeed === undefined
        ? table
        : await start(undefined, () =>
            startTableFaults({ target: table.url, seed: faultSeed, loseResponses: LOST_WRITE_ANSWERS, log }),
          )
    if (faultSeed === undefined && table.own) await dropReplicas(table.url)
    // A base URL alone is a provider that wants no key.
    const model = await start(env.OPENAI_BASE_URL ?? env.OPENAI_API_KEY, () => startRehearsalModel({}))
    const lambda = await start(env.AWS_ENDPOINT_URL_LAMBDA, () =>
      startLambda({
        directory: join(stateDirectory, 'lambda'),
        functions: [],
        log,
        watch: options.watch ?? false,
        closeGraceMs: options.closeGraceMs ?? 5_000,
        ...(faultSeed !== undefined && { faults: createRandomFaults(faultSeed, log) }),
        ...(options.faults && { faults: options.faults }),
        ...(options.maximumProcesses !== undefined && { maximumProcesses: options.maximumProcesses }),
        ...(options.retryDelaysMs && { retryDelaysMs: options.retryDelaysMs }),
        ...(options.clock && { clock: options.clock }),
      }),
    )
    const invokeResume = createInvoke(lambda.url, 'resume')
    const stepFunctions = await start(env.AWS_ENDPOINT_URL_SFN, () =>
      startStepFunctions({
        directory: join(stateDirectory, 'step-functions'),
        lambdaEndpoint: lambda.url,
        dynamoDbEndpoint: dynamoDb.url,
        startPaused: true,
        onStatusChange(event) {
          if (!TOLD_STATUSES.has(event.detail.status)) return
          invokeResume(event).catch((error) => log(`A status event was lost: ${error}`))
        },
        ...(options.clock && { clock: options.clock }),
      }),
    )
    const endpoints = { dynamoDb: dynamoDb.url, lambda: lambda.url, stepFunctions: stepFunctions.url }
    const isRehearsal = model.own !== undefined
    const told = { ...endpoints, lambda: options.lambdaFront?.(lambda.url) ?? lambda.url }
    const environment = {
      ...options.projectEnvironment,
      ...createFunctionEnvironment(env, told, isRehearsal ? model.url : undefined),
    }

    await createRunsTable(endpoints.dynamoDb)
    await options.beforeRuns?.(environment)
    await lambda.own?.addFunctions(localFunctions(plan, options.directory, environment))
    if (stepFunctions.own) await createMachines(endpoints.stepFunctions, plan)
    // Not before: an execution that calls a function that is not there yet would fail.
    stepFunctions.own?.resume()
    started.push(startSweep(options.sweepEveryMs ?? 60_000, () => invokeResume({ kind: 'sweep' }), log))
    return { endpoints, environment, isRehearsal, close }
  } catch (error) {
    await close()
    throw error
  }
}
