import { failureError } from '../core/errors.ts'
import type { Tool } from '../core/tool.ts'
import { attemptsOf } from '../store/calls.ts'
import { type CallAddress, placesAround, stepCall } from '../store/keys.ts'
import { cutAnswer } from './cut-answer.ts'
import type { ToolStepMessage } from './messages.ts'
import { resolvePointers } from './pointers.ts'
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
  if (run?.status !== 'running') throw isOver(`The run ${runId} is over`)
  const address = await currentTry(ports, stepCall(runId, step), message)
  const performed = await performCall(ports, tool, invocation, {
    place: {
      ...address,
      expected: 1,
      expiresAt: run.expiresAt,
      step: { ...step, callable: tool.name, input },
    },
    caller: { runId, agent, callId: address.sk },
    input: await resolvePointers(ports, runId, input),
    env,
    isCancelled: () => isGivenUp(ports, message),
    ...(message.retry && { retryCount: message.retry.count }),
  })
  if (performed.kind !== 'busy' && performed.isStillRunning) return { kind: 'runaway' }
  switch (performed.kind) {
    case 'closed':
      throw isOver(`The run ${runId} is over, or went on without "${step.name}"`)
    case 'busy':
      throw Object.assign(new Error(`${tool.name} is being run by an earlier delivery`), {
        name: 'CallInProgress',
      })
    case 'result': {
      const { result } = performed
      const answer = result.ok ? cutAnswer(result.value, address, message.wanted) : result
      if ('failure' in answer) throw failureError(answer.failure)
      return { kind: 'output', output: answer.output }
    }
  }
}

/**
 * Whether the run of a step is over, or went on without it; asked once the step is claimed. Its own place is looked at last: whoever ends the run, or
 * gives up a part of it, writes that first, then closes what was claimed before, and only then says that it is done. So what is begun at once after
 * these looks is begun before that.
 */
async function isGivenUp({ store }: Ports, { runId, step }: ToolStepMessage): Promise<boolean> {
  const [run, isPartClosed] = await Promise.all([
    store.runs.read(runId),
    store.calls.isClosed(placesAround(runId, step)),
  ])
  return run?.status !== 'running' || isPartClosed || store.calls.isClosed([stepCall(runId, step)])
}

/**
 * The entry of the try that a delivery is about: a new one where the last failed, may be repeated, and the machine has asked again since. A
 * double of an earlier delivery finds what it came to.
 */
async function currentTry(
  ports: Ports,
  address: CallAddress,
  { retry }: ToolStepMessage,
): Promise<CallAddress> {
  if (!retry) return address
  const entries = await ports.store.calls.read(address)
  const last = Math.max(0, attemptsOf(entries) - 1)
  const { result } = entries.entry(last)
  const isToBeTried =
    result?.ok === false && retry.on.includes(result.failure.name) && retry.count > (result.retryCount ?? 0)
  return { ...address, entry: isToBeTried ? last + 1 : last }
}

const isOver = (why: string): Error =>
  Object.assign(new Error(`${why}, so nothing more is begun for it`), { name: 'RunIsOver' })
