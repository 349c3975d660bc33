import type { Doer } from '../core/doer.ts'
import { type Failure, toFailure } from '../core/errors.ts'
import type { Thinker } from '../core/thinker.ts'
import { stepCall } from '../store/keys.ts'
import type { Run, Waiter } from '../store/records.ts'
import { cancelRun } from './cancel-run.ts'
import { beginAgent, newChild } from './children.ts'
import { finishRun, tell } from './finish-run.ts'
import { followPointers } from './kept-values.ts'
import type { AgentStepMessage } from './messages.ts'
import { inputOfRun, parseInput } from './parse-input.ts'
import type { Ports } from './ports.ts'
import { childRunId } from './run-ids.ts'

type Agent = Thinker | Doer

/**
 * A doer's machine asks a thinker, or another doer, for one step. The child run keeps the task token and answers it when it ends; a repeat adds its token
 * to the same child. A step that is asked again after its answer was delivered is a new attempt.
 */
export async function submitStep(ports: Ports, agent: Agent, message: AgentStepMessage): Promise<void> {
  const parent = await ports.store.runs.read(message.runId)
  if (!parent) return
  const attempt = await findAttempt(ports, message)
  const input = readInput(agent, await followPointers(ports.store, message.runId, message.input))
  // Made by another delivery meanwhile, whose token may be another: this one is to be kept, too.
  if (!attempt.run && !(await createChild(ports, agent, parent, message, attempt, input.value)))
    return submitStep(ports, agent, message)
  // Looked at after the child was noted: either this sees a cancel of the parent, or the cancel sees the child.
  const now = await ports.store.runs.read(message.runId)
  if (now?.status !== 'running') {
    await cancelRun(ports, attempt.id)
    return
  }
  const child = attempt.run ?? (await ports.store.runs.read(attempt.id))
  if (!child) return
  if (child.status !== 'running') return tell(ports, child)
  if (!input.ok) {
    await finishRun(ports, child, { status: 'failed', error: input.failure }, ports.random())
    return
  }
  await beginAgent(ports, { id: attempt.id, kind: agent.kind, agent: agent.name, input: child.input })
}

/** One try at a step: the first, or what a retry asked for. */
interface Attempt {
  /** From 1. */
  readonly number: number
  readonly id: string
  readonly run?: Run
}

/** The child that this token belongs to: one that has it or can take it, else the first that is not there. */
async function findAttempt(ports: Ports, message: AgentStepMessage): Promise<Attempt> {
  for (let number = 1; ; number += 1) {
    const id = childIdOf(message, number)
    const run = await ports.store.runs.read(id)
    if (!run) return { number, id }
    if (run.tokens.has(message.taskToken)) return { number, id, run }
    if (!run.told && (await ports.store.runs.addToken(id, message.taskToken))) {
      const withToken = await ports.store.runs.read(id)
      return { number, id, run: withToken ?? run }
    }
  }
}

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
  { step, taskToken, runId, wanted, input: asked }: AgentStepMessage,
  { number, id }: Attempt,
  input: unknown,
): Promise<boolean> {
  const waiter: Waiter = { ...stepCall(runId, step), entry: number - 1, expected: 1, wanted }
  const place = {
    ...waiter,
    expiresAt: parent.expiresAt,
    step: { ...step, callable: agent, input: asked },
  }
  await ports.store.calls.noteChild(place, id, ports.clock.now())
  return ports.store.runs.create(
    newChild(ports, { id, kind, agent, input, parent, waiter, token: taskToken }),
  )
}

type ReadInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly value: unknown; readonly failure: Failure }

/** The plan's types promise the input, but not its patterns and bounds. */
function readInput(agent: Agent, value: unknown): ReadInput {
  try {
    return { ok: true, value: inputOfRun(agent, value, parseInput(agent, value)) }
  } catch (error) {
    return { ok: false, value, failure: toFailure(error) }
  }
}
