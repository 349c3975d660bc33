import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startServedProject } from '../../src/cli/start-project.ts'
import type { RunView } from '../../src/gateway/run-view.ts'
import type { StackOptions } from '../../src/local/stack/start-stack.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A project of its own inside this repository, so that `turnwise` and packages resolve and two tests never share files. */
export async function copyProject(
  functionsDirectory: string,
): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  const parent = join(ROOT, '.turnwise/test')
  await mkdir(parent, { recursive: true })
  const directory = await mkdtemp(join(parent, 'project-'))
  await cp(resolve(ROOT, functionsDirectory), join(directory, 'functions'), { recursive: true })
  return { directory, remove: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }) }
}

export interface TestProject {
  /** Its processes bear it in their command lines. */
  readonly directory: string
  readonly gateway: GatewayClient
  readonly environment: Readonly<Record<string, string>>
  readonly logged: readonly string[]
  close(): Promise<void>
}

/** The whole local stack over the definitions in `functionsDirectory`, from the root of the repository, with a model at `modelUrl`. */
export async function startTestProject(options: {
  readonly functionsDirectory: string
  readonly modelUrl: string
  readonly stack?: Partial<StackOptions>
}): Promise<TestProject> {
  const project = await copyProject(options.functionsDirectory)
  const logged: string[] = []
  const served = await startServedProject({
    directory: project.directory,
    env: { OPENAI_BASE_URL: options.modelUrl, OPENAI_API_KEY: 'scripted' },
    log: (line) => logged.push(line),
    port: 0,
    ...(options.stack && { stack: options.stack }),
  })
  return {
    directory: project.directory,
    gateway: createGatewayClient(served.gateway.url),
    environment: served.stack.environment,
    logged,
    async close() {
      await served.close()
      await project.remove()
    },
  }
}

export type GatewayClient = ReturnType<typeof createGatewayClient>

/** HTTP to a gateway, as a client would speak it. */
export function createGatewayClient(url: string) {
  const ask = async (path: string, request: RequestInit = {}): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(url + path, request)
    return { status: response.status, body: await response.json() }
  }
  /** Undefined for a run that is not made yet: a child is on its parent's record before. */
  const find = async (runId: string): Promise<RunView | undefined> => {
    const { status, body } = await ask(`/runs/${runId}`)
    if (status !== 200 && status !== 404)
      throw new Error(`GET /runs/${runId} answered ${status}: ${JSON.stringify(body)}`)
    return status === 200 ? (body as RunView) : undefined
  }
  return {
    url,
    ask,
    find,
    async look(runId: string): Promise<RunView> {
      const run = await find(runId)
      if (!run) throw new Error(`There is no run ${runId}`)
      return run
    },
    submit: async (agent: string, input: unknown, idempotencyKey?: string): Promise<RunView> => {
      const headers = {
        'Content-Type': 'application/json',
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      }
      const answer = await ask('/runs', { method: 'POST', body: JSON.stringify({ agent, input }), headers })
      if (answer.status !== 202)
        throw new Error(`POST /runs answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body as RunView
    },
    cancel: (runId: string) => ask(`/runs/${runId}/cancel`, { method: 'POST' }),
    /** Looks at the run until `isReady`, or throws what it looked like at last. */
    async until(runId: string, isReady: (run: RunView) => boolean, withinMs = 30_000): Promise<RunView> {
      const giveUpAt = Date.now() + withinMs
      for (;;) {
        const run = await find(runId)
        if (run && isReady(run)) return run
        if (Date.now() > giveUpAt)
          throw new Error(`Not within ${withinMs} ms: ${JSON.stringify(run, null, 1) ?? `no run ${runId}`}`)
        await new Promise((done) => setTimeout(done, 150))
      }
    },
    ended(runId: string, withinMs?: number): Promise<RunView> {
      return this.until(runId, (run) => run.status !== 'running', withinMs)
    },
  }
}
