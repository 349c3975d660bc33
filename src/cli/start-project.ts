import { join, resolve } from 'node:path'
import type { Plan } from '../compile/plan.ts'
import { type LocalGateway, startGateway } from '../local/gateway/start-gateway.ts'
import { type Stack, type StackOptions, startStack } from '../local/stack/start-stack.ts'
import { type PlanWatch, watchPlan } from './plan-watch.ts'
import { exportsOf, fileExists } from './project-files.ts'
import { writePlan } from './write-plan.ts'

/** Prepares what a project's tools need outside of it, and says what they read from their environment. */
const SETUP_FILE = 'functions/setup.ts'

export interface ProjectOptions extends Pick<StackOptions, 'env' | 'log'> {
  readonly directory: string
  /** Under the project; default `.turnwise/local`. */
  readonly stateDirectory?: string
  /** Whether `close` lets each running function have its whole timeout; default: five seconds. */
  readonly waitsForFunctions?: boolean
  /** Everything that `startStack` takes beyond these. */
  readonly stack?: Partial<StackOptions>
}

/** Writes the plan, starts the stand-ins and runs the project's setup. Throws `ProjectError` for a project that is wrong. */
export async function startProject(options: ProjectOptions): Promise<Stack> {
  const { stack, plan } = await startPlanned(options)
  const planWatch = startPlanWatch(options, plan, false)
  const close = async () => {
    await planWatch.close()
    await stack.close()
  }
  return { ...stack, close }
}

/** The project with its gateway, on a port of 127.0.0.1; 0 takes a free one. */
export async function startServedProject(
  options: ProjectOptions & { readonly port: number },
): Promise<{ readonly stack: Stack; readonly gateway: LocalGateway; close(): Promise<void> }> {
  const { stack, plan } = await startPlanned(options)
  try {
    const gateway = await startGateway({
      directory: resolve(options.directory),
      environment: stack.environment,
      port: options.port,
    })
    const planWatch = startPlanWatch(options, plan, true)
    const close = async () => {
      await planWatch.close()
      await gateway.close()
      await stack.close()
    }
    return { stack, gateway, close }
  } catch (error) {
    await stack.close()
    throw error
  }
}

async function startPlanned(
  options: ProjectOptions,
): Promise<{ readonly stack: Stack; readonly plan: Plan }> {
  const directory = resolve(options.directory)
  const plan = await writePlan(directory)
  const { environment, setUp } = await loadSetup(directory)
  const stack = await startStack({
    directory,
    plan,
    stateDirectory: join(directory, options.stateDirectory ?? '.turnwise/local'),
    env: options.env,
    log: options.log,
    projectEnvironment: environment,
    beforeRuns: setUp,
    ...(options.waitsForFunctions && { closeGraceMs: longestTimeoutMs(plan) }),
    ...options.stack,
  })
  return { stack, plan }
}

function longestTimeoutMs({ functions }: Plan): number {
  return 1_000 * Math.max(0, ...functions.map(({ timeoutSeconds }) => timeoutSeconds))
}

/** Where sources are watched, the plan is. */
function startPlanWatch(
  { directory, log, stack }: ProjectOptions,
  plan: Plan,
  hasGateway: boolean,
): PlanWatch {
  if (stack?.watch !== true) return { close: async () => undefined }
  return watchPlan({ directory: resolve(directory), plan, hasGateway, log })
}

interface Setup {
  readonly environment: Readonly<Record<string, string>>
  readonly setUp: NonNullable<StackOptions['beforeRuns']>
}

async function loadSetup(directory: string): Promise<Setup> {
  const none: Setup = { environment: {}, setUp: async () => undefined }
  if (!fileExists(directory, SETUP_FILE)) return none
  const exported: Partial<Setup> = await exportsOf(directory, SETUP_FILE)
  return { ...none, ...exported }
}
