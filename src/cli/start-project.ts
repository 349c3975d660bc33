import { join, resolve } from 'node:path'
import { type LocalGateway, startGateway } from '../local/gateway/start-gateway.ts'
import { type Stack, type StackOptions, startStack } from '../local/stack/start-stack.ts'
import { exportsOf, fileExists } from './project-files.ts'
import { writePlan } from './write-plan.ts'

/** Prepares what a project's tools need outside of it, and says what they read from their environment. */
const SETUP_FILE = 'functions/setup.ts'

export interface ProjectOptions extends Pick<StackOptions, 'env' | 'log'> {
  readonly directory: string
  /** Under the project; default `.turnwise/local`. */
  readonly stateDirectory?: string
  /** Everything that `startStack` takes beyond these. */
  readonly stack?: Partial<StackOptions>
}

/** Writes the plan, starts the stand-ins and runs the project's setup. Throws `ProjectError` for a project that is wrong. */
export async function startProject(options: ProjectOptions): Promise<Stack> {
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
    ...options.stack,
  })
  return stack
}

/** The project with its gateway, on a port of 127.0.0.1; 0 takes a free one. */
export async function startServedProject(
  options: ProjectOptions & { readonly port: number },
): Promise<{ readonly stack: Stack; readonly gateway: LocalGateway; close(): Promise<void> }> {
  const stack = await startProject(options)
  try {
    const gateway = await startGateway({
      directory: resolve(options.directory),
      environment: stack.environment,
      port: options.port,
    })
    const close = async () => {
      await gateway.close()
      await stack.close()
    }
    return { stack, gateway, close }
  } catch (error) {
    await stack.close()
    throw error
  }
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
