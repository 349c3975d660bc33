import * as z from 'zod'
import { InvalidInput, toFailure } from '../core/errors.ts'
import type { Thinker } from '../core/thinker.ts'
import { stepCall } from '../store/keys.ts'
import type { Run, Waiter } from '../store/records.ts'
import { cancelRun } from './cancel-run.ts'
import { beginAgent, newChild } from './children.ts'
import { finishRun, tell } from './finish-run.ts'
import type { TurnStepMessage } from './messages.ts'
import type { Ports } from './ports.ts'
import { childRunId } from './run-ids.ts'

/**
 * A doer's machine asks a thinker for one step. The child run keeps the task token and answers it when it ends; a repeat adds its token
 * to the same child. A step that is asked again after its answer was delivered is a new attempt.
 */
export async function submitStep(ports: Ports, thinker: Thinker, message: TurnStepMessage): Promise<void> {
  const parent = await ports.store.runs.read(message.runId)
  if (!parent) return
  const attempt = await findAttempt(ports, message)
  // Made by another delivery meanwhile, whose token may be another: this one is to be kept, too.
  if (!attempt.run && !(await createChild(ports, thinker, parent, message, attempt.id)))
    return submitStep(ports, thinker, message)
  // Looked at after the child was noted: either this sees a cancel of the parent, or the cancel sees the child.
  const now = await ports.store.runs.read(message.runId)
  if (now?.status !== 'running') {
    await cancelRun(ports, attempt.id)
    return
  }
  const child = attempt.run ?? (await ports.store.runs.read(attempt.id))
  if (!child) return
  if (child.status !== 'running') return tell(ports, child)
  const input = thinker.input.safeParse(message.input)
  if (!input.success) return refuse(ports, thinker, child, input.error)
  await beginAgent(ports, { id: attempt.id, kind: 'thinker', agent: thinker.name, input: child.input })
}

/** The child that this token belongs to: one that has it or can take it, else the first that is not there. */
async function findAttempt(
  ports: Ports,
  message: TurnStepMessage,
): Promise<{ readonly id: string; readonly run?: Run }> {
  for (let attempt = 1; ; attempt += 1) {
    const id = childIdOf(message, attempt)
    const run = await ports.store.runs.read(id)
    if (!run) return { id }
    if (run.tokens.has(message.taskToken)) return { id, run }
    if (!run.told && (await ports.store.runs.addToken(id, message.taskToken))) {
      const withToken = await ports.store.runs.read(id)
      return { id, run: withToken ?? run }
    }
  }
}

/** Whether a child run has the task token of the step, and answers it when it ends. */
export async function isTokenKept(ports: Ports, message: TurnStepMessage): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const run = await ports.store.runs.read(childIdOf(message, attempt))
    if (!run) return false
    if (run.tokens.has(message.taskToken)) return true
  }
}

const childIdOf = ({ runId, step }: TurnStepMessage, attempt: number): string =>
  childRunId(runId, `${stepCall(runId, step).sk}/${attempt}`)

async function createChild(
  ports: Ports,
  thinker: Thinker,
  parent: Run,
  message: TurnStepMessage,
  id: string,
): Promise<boolean> {
  const { step, taskToken, runId } = message
  const input = thinker.input.safeParse(message.input).data ?? message.input
  const waiter: Waiter = { ...stepCall(runId, step), expected: 1 }
  const place = {
    ...waiter,
    expiresAt: parent.expiresAt,
    step: { ...step, callable: thinker.name, input, childId: id },
  }
  await ports.store.calls.noteChild(place, ports.clock.now())
  return ports.store.runs.create(
    newChild(ports, { id, kind: 'thinker', agent: thinker.name, input, parent, waiter, token: taskToken }),
  )
}

/** The plan's types promise the input, but not its patterns and bounds. */
function refuse(ports: Ports, thinker: Thinker, child: Run, error: z.ZodError): Promise<void> {
  const failure = toFailure(
    new InvalidInput(`The input of ${thinker.name} is wrong:\n${z.prettifyError(error)}`),
  )
  return finishRun(ports, child, { status: 'failed', error: failure }, ports.random())
}
