import { type ChildProcess, fork } from 'node:child_process'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { openChannel } from './function-channel.ts'
import { createLineWriter } from './function-log.ts'
import { deployedName } from './function-name.ts'
import { type InvocationOutcome, killed, timedOut, withinResponseLimit } from './invocation-outcome.ts'
import type { LocalFunction } from './local-function.ts'
import { watchMemory } from './memory-watch.ts'
import type { InvokeMessage } from './process-messages.ts'

/** One invocation as a process gets it. */
export interface ProcessInvocation extends Omit<InvokeMessage, 'timeoutMs'> {
  /** Gets each line that the function prints meanwhile. */
  readonly log?: ((line: string) => void) | undefined
}

/** A process that has one version of a function loaded and runs one invocation at a time. */
export interface FunctionProcess {
  /** With the version, unless that is `$LATEST`: `orders`, `orders:3`. */
  readonly functionName: string
  readonly pid: number | undefined
  /** Resolves when the process is gone; it is of no use then. */
  readonly exited: Promise<void>
  /** Never rejects. After a timeout, a crash or too much memory the process is gone when this resolves. */
  invoke(invocation: ProcessInvocation): Promise<InvocationOutcome>
  /** SIGKILL. */
  kill(): void
}

export interface FunctionProcessDependencies {
  readonly bootstrapFile: string
  readonly bundleFile: string
  readonly compileCacheDirectory: string
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly version: string
  readonly log: (line: string) => void
}

/** Lambda gives a function ten seconds to load, beside its timeout; here the sum of both. */
const LOADING_MS = 10_000

/** Starts a process that begins to load the function at once. */
export function startFunctionProcess(
  definition: LocalFunction,
  deps: FunctionProcessDependencies,
): FunctionProcess {
  const child = forkFunction(definition, deps)
  const channel = openChannel(child)
  let requestId = '-'
  let invocationLog: ProcessInvocation['log']
  const log = (line: string) => {
    deps.log(`[${definition.name} ${requestId}] ${line}`)
    invocationLog?.(line)
  }
  const writers = [child.stdout, child.stderr].map((stream) => {
    const writer = createLineWriter(log)
    stream?.on('data', writer.add).on('end', writer.flush)
    return writer
  })

  return {
    functionName: deployedName(definition.name, deps.version),
    pid: child.pid,
    exited: channel.ended,
    kill: () => void child.kill('SIGKILL'),
    async invoke({ log: logOfInvocation, ...invocation }) {
      requestId = invocation.requestId
      invocationLog = logOfInvocation
      const limits = enforceLimits(definition, {
        child,
        requestId,
        ready: channel.ready,
        clock: deps.clock,
        log,
      })
      const outcome = await channel.exchange({ ...invocation, timeoutMs: definition.timeoutSeconds * 1_000 })
      const broken = limits.end()
      if (broken !== undefined) await channel.ended
      for (const writer of writers) writer.flush()
      invocationLog = undefined
      return withinResponseLimit(broken ?? outcome)
    },
  }
}

function forkFunction(definition: LocalFunction, deps: FunctionProcessDependencies): ChildProcess {
  const parameters = [deps.bundleFile, definition.handler ?? 'handler', deps.compileCacheDirectory]
  return fork(deps.bootstrapFile, parameters, {
    cwd: dirname(deps.bundleFile), // as /var/task is on AWS: the project's files are not there
    execPath: process.execPath,
    execArgv: [`--max-old-space-size=${Math.floor(definition.memoryMb * 0.9)}`], // as Lambda's runtime does
    env: deps.environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/** What one invocation runs under. */
interface Watched {
  readonly child: ChildProcess
  readonly requestId: string
  readonly ready: Promise<void>
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** Kills the process at its timeout, which starts once the module is loaded, and above its memory. */
function enforceLimits(
  { timeoutSeconds, memoryMb }: LocalFunction,
  { child, requestId, ready, clock, log }: Watched,
): { /** Stops watching; tells the outcome if a limit was passed. */ end(): InvocationOutcome | undefined } {
  let broken: InvocationOutcome | undefined
  let isOver = false
  const kill = (reason: string, outcome: InvocationOutcome) => {
    log(`killed: ${reason}`)
    broken ??= outcome
    child.kill('SIGKILL')
  }
  const killAtTimeout = () => kill(`it ran for ${timeoutSeconds} s`, timedOut(requestId, timeoutSeconds))
  const stopWatching = watchMemory(child.pid, memoryMb, (residentMb) =>
    kill(`it held ${residentMb} MB of ${memoryMb} MB`, killed(requestId)),
  )
  let cancelTimer = clock.setTimer(LOADING_MS + timeoutSeconds * 1_000, killAtTimeout)
  ready.then(() => {
    if (isOver) return
    cancelTimer()
    cancelTimer = clock.setTimer(timeoutSeconds * 1_000, killAtTimeout)
  })
  return {
    end() {
      isOver = true
      cancelTimer()
      stopWatching()
      return broken
    },
  }
}
