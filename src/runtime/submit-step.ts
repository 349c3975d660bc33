import type { Doer } from '../core/doer.ts'
import { type Failure, toFailure } from '../core/errors.ts'
import type { Thinker } from '../core/thinker.ts'
import { placesAround, stepCall } from '../store/keys.ts'
import type { Run, Waiter } from '../store/records.ts'
import { beginAgent, newChild } from './children.ts'
import { finishRun, tell } from './finish-run.ts'
import type { AgentStepMessage } from './messages.ts'
import { inputOfRun, parseInput } from './parse-input.ts'
import { type Resolved, resolvePointers } from './pointers.ts'
import { LOOK_AGAIN_MS, type Ports } from './ports.ts'
import { childRunId } from './run-ids.ts'

type Agent = Thinker | Doer

/**
 * A doer's machine asks a thinker, or another doer, for one step. The child run keeps the task token and answers it when it ends; a repeat adds its token
 * to the same child, also after that has ended. Another try is another child: where the last failed, may be repeated, and the machine has asked
 * again since.
 */
export async function submitStep(ports: Ports, agent: Agent, message: AgentStepMessage): Promise<void> {
  const parent = await ports.store.runs.read(message.runId)
  if (!parent) return
  const attempt = await findAttempt(ports, message)
  const input = readInput(agent, await resolvePointers(ports, message.runId, message.input), message)
  const made = attempt.run ? 'made' : await createChild(ports, agent, parent, message, attempt, input.kept)
  if (made === 'given-up') return
  // Made by another delivery meanwhile, whose token may be another: this one is to be kept, too.
  if (made === 'there') return submitStep(ports, agent, message)
  const child = attempt.run ?? (await ports.store.runs.read(attempt.id))
  if (!child) return
  if (child.status !== 'running') return tell(ports, child)
  if (input.failure)
    return finishRun(ports, child, { status: 'failed', error: input.failure }, ports.random())
  await beginAgent(ports, { id: attempt.id, kind: agent.kind, agent: agent.name, input: child.input })
  // A cancel between the look and the start has found nothing to stop.
  if (agent.kind === 'doer' && (await ports.store.runs.read(child.id))?.status !== 'running')
    await ports.machines.stop(agent.name, child.id)
}

/** One try at a step: the first, or what a retry asked for. */
interface Attempt {
  /** From 1. */
  readonly number: number
  readonly id: string
  readonly run?: Run
}

/** The child that this token belongs to: the last there is, or another try. */
async function findAttempt(ports: Ports, message: AgentStepMessage): Promise<Attempt> {
  for (let number = 1; ; number += 1) {
    const id = childIdOf(message, number)
    const run = await ports.store.runs.read(id)
    if (!run) return { number, id }
    if (run.tokens.has(message.taskToken)) return { number, id, run }
    if (isToBeTriedAgain(run, message)) continue
    await ports.store.runs.addToken(run, message.taskToken, ports.clock.now() + LOOK_AGAIN_MS)
    const withToken = await ports.store.runs.read(id)
    return { number, id, run: withToken ?? run }
  }
}

const isToBeTriedAgain = (run: Run, { retry }: AgentStepMessage): boolean =>
  run.status === 'failed' &&
  retry !== undefined &&
  retry.on.includes(run.error.name) &&
  retry.count > (run.waiter?.retryCount ?? 0)

/** Whether a child run has the task token of the step, and answers it when it ends. */
export async function isTokenKept(ports: Ports, message: AgentStepMessage): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const run = await ports.store.runs.read(childIdOf(message, attempt))
    if (!run) return false
    if (run.tokens.has(message.taskToken)) return true
  }
}

const childIdOf = ({ runId, step }: AgentStepMessage, attempt: number): string =>
  childRunId(runId, `${stepCall(runId, step).sk}/${attempt}`)

async function createChild(
  ports: Ports,
  { kind, name: agent }: Agent,
  parent: Run,
  { step, taskToken, runId, wanted, retry, input: asked }: AgentStepMessage,
  { number, id }: Attempt,
  input: unknown,
): Promise<'made' | 'there' | 'given-up'> {
  const waiter: Waiter = {
    ...stepCall(runId, step),
    entry: number - 1,
    expected: 1,
    wanted,
    ...(retry && { retryCount: retry.count }),
  }
  const place = {
    ...waiter,
    expiresAt: parent.expiresAt,
    step: { ...step, callable: agent, input: asked },
  }
  const note = { runId: id, kind, notedAt: ports.clock.now() }
  if (!(await ports.store.calls.noteChild(place, note))) return 'given-up'
  // Looked at once the child is noted: either this sees that nobody waits any more, or whoever ended the doer, or gave up a part, sees the child and
  // makes it cancelled.
  const cancelled =
    (await ports.store.runs.read(runId))?.status !== 'running' ||
    (await ports.store.calls.isClosed(placesAround(runId, step)))
  const child = newChild(ports, { id, kind, agent, input, parent, waiter, token: taskToken, cancelled })
  return (await ports.store.runs.create(child)) ? 'made' : 'there'
}

/** The plan's types promise the input, but not its patterns and bounds. Answers what is kept of it, and why the run cannot begin. */
function readInput(
  agent: Agent,
  input: Resolved,
  asked: AgentStepMessage,
): { readonly kept: unknown; readonly failure?: Failure } {
  if (!input.ok) return { kept: asked.input, failure: input.failure }
  try {
    return { kept: inputOfRun(agent, input.value, parseInput(agent, input.value)) }
  } catch (error) {
    return { kept: input.value, failure: toFailure(error) }
  }
}
