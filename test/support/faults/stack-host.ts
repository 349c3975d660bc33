// A project's whole stack in a process of its own, which tests kill: `node stack-host.ts <HostOptions as JSON>`.
import { flushCompileCache } from 'node:module'
import { startServedProject } from '../../../src/cli/start-project.ts'
import type { StackOptions } from '../../../src/local/stack/start-stack.ts'

export interface HostOptions {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** What functions and gateway take for Lambda. */
  readonly lambdaFrontUrl: string
  readonly stack: Pick<
    StackOptions,
    'maximumProcesses' | 'sweepEveryMs' | 'retryDelaysMs' | 'projectEnvironment'
  >
}

/** To the test: where Lambda really is, as soon as it is there; then that runs are taken. */
export type HostMessage =
  | { readonly kind: 'lambda'; readonly url: string }
  | { readonly kind: 'ready'; readonly gatewayUrl: string }

const { directory, env, lambdaFrontUrl, stack }: HostOptions = JSON.parse(process.argv[2] ?? '')
process.once('disconnect', () => process.exit(1))
const { gateway } = await startServedProject({
  directory,
  env,
  port: 0,
  log: (line) => console.log(line),
  stack: {
    ...stack,
    lambdaFront(url) {
      tell({ kind: 'lambda', url })
      return lambdaFrontUrl
    },
  },
})
tell({ kind: 'ready', gatewayUrl: gateway.url })
flushCompileCache() // now: a process ended by SIGKILL would never write it

function tell(message: HostMessage): void {
  process.send?.(message)
}
