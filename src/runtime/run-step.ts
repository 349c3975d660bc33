import { failureError } from '../core/errors.ts'
import type { Tool } from '../core/tool.ts'
import { stepCall } from '../store/keys.ts'
import type { ToolStepMessage } from './messages.ts'
import type { Invocation, Ports } from './ports.ts'
import { type Job, performCall } from './run-call.ts'

export type StepAnswer =
  | { readonly kind: 'output'; readonly output: unknown }
  /** What came of the step is recorded, and its code still runs: the process must end, and the machine asks again. */
  | { readonly kind: 'runaway' }

/**
 * A doer's machine asks for one step and waits: answers the output, or throws the tool's failure under its name, which Step Functions
 * matches. `CallInProgress` says that an earlier delivery may still be running: ask again later.
 */
export async function runStep(
  ports: Ports,
  tool: Tool,
  invocation: Invocation,
  message: ToolStepMessage,
  env: Job['env'],
): Promise<StepAnswer> {
  const { runId, agent, step, input } = message
  const run = await ports.store.runs.read(runId)
  if (run?.status !== 'running') throw runIsOver(runId)
  const address = stepCall(runId, step)
  const performed = await performCall(ports, tool, invocation, {
    place: {
      ...address,
      expected: 1,
      expiresAt: run.expiresAt,
      step: { ...step, callable: tool.name, input },
    },
    caller: { runId, agent, callId: address.sk },
    input,
    env,
    isCancelled: async () => (await ports.store.runs.read(runId))?.status !== 'running',
  })
  if (performed.kind !== 'busy' && performed.isStillRunning) return { kind: 'runaway' }
  switch (performed.kind) {
    case 'closed':
      throw runIsOver(runId)
    case 'busy':
      throw Object.assign(new Error(`${tool.name} is being run by an earlier delivery`), {
        name: 'CallInProgress',
      })
    case 'result':
      if (performed.result.ok) return { kind: 'output', output: performed.result.value }
      throw failureError(performed.result.failure)
  }
}

const runIsOver = (runId: string): Error =>
  Object.assign(new Error(`The run ${runId} is over, so nothing more is begun for it`), { name: 'RunIsOver' })
