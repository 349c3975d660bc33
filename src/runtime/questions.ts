import * as z from 'zod'
import type { Doer } from '../core/doer.ts'
import { type AskNode, nodesOf } from '../core/doer-plan.ts'
import { Interrupted, InvalidInput, NotFound, Timeout } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { type CallAddress, stepCall } from '../store/keys.ts'
import type { CallEntry, Question } from '../store/records.ts'
import type { AskMessage } from './messages.ts'
import type { Ports } from './ports.ts'

/**
 * A doer's machine asks a person: the question is on record until it is answered, and keeps every token that it was asked with. A repeat does
 * not move its deadline.
 */
export async function noteQuestion(ports: Ports, message: AskMessage): Promise<void> {
  const { runId, step, question, deadlineSeconds, taskToken } = message
  const run = await ports.store.runs.read(runId)
  if (run?.status !== 'running') return
  const address = stepCall(runId, step)
  const place = {
    ...address,
    expected: 1,
    expiresAt: run.expiresAt,
    step: { ...step, callable: 'ask', input: question },
  }
  const askedAt = ports.clock.now()
  const deadline = askedAt + deadlineSeconds * 1_000
  await ports.store.calls.noteQuestion(place, { askedAt, deadline, tokens: new Set([taskToken]) })
  // This delivery may come after the answer.
  await tellAnswer(ports, address)
}

/** Tells the machine the answer that is on record, if there is one; only `resume` may. */
export async function tellAnswer(ports: Ports, address: CallAddress): Promise<void> {
  const { question, result } = (await ports.store.calls.read(address)).entry(address.entry)
  if (!question || !result?.ok) return
  const { value: output } = result
  await Promise.all([...question.tokens].map((token) => ports.machines.answer(token, { output })))
}

/** Which question of a run: the name of its step and, in maps and repeats, which item or time it is, the outermost first. */
export interface QuestionPlace {
  readonly runId: string
  readonly step: string
  readonly indexes?: readonly number[]
}

/**
 * A person's answer to a question of a doer, once: the first that fits is the answer, and the same answer again is told again. Throws
 * `NotFound` for what was not asked, `InvalidInput` for what does not fit its schema or differs from the answer that is there,
 * `Timeout` after the deadline, `Interrupted` when the run is over.
 */
export async function answerQuestion(
  ports: Ports,
  doer: Doer,
  place: QuestionPlace,
  answer: unknown,
): Promise<void> {
  const node = questionOf(doer, place.step)
  const address = stepCall(place.runId, { number: node.number, name: node.name, indexes: place.indexes })
  const run = await ports.store.runs.read(place.runId)
  const { question, result } = (await ports.store.calls.read(address)).entry(address.entry)
  if (!run || run.agent !== doer.name || !question)
    throw new NotFound(`The run ${place.runId} of ${doer.name} has not asked "${place.step}"`)
  const value = parseAnswer(node, answer)
  if (!result) {
    if (run.status !== 'running')
      throw new Interrupted(`The run ${run.id} is over, so nobody waits for an answer`)
    requireInTime(ports, node, question)
    const now = ports.clock.now()
    const given = { ok: true as const, value, startedAt: question.askedAt, endedAt: now }
    const place = { ...address, expected: 1, expiresAt: run.expiresAt }
    await ports.store.calls.record(place, given, ports.random(), { kind: 'open' })
  }
  await requireSame(ports, address, value)
  await ports.send('resume', {
    kind: 'answered',
    runId: run.id,
    step: { number: node.number, name: node.name, ...(place.indexes && { indexes: [...place.indexes] }) },
  })
}

function questionOf({ name, plan }: Doer, step: string): AskNode {
  const questions = nodesOf(plan).filter((node) => node.kind === 'ask')
  const found = questions.find((node) => node.name === step)
  if (found) return found
  const known = questions.map((node) => `"${node.name}"`).join(', ')
  throw new NotFound(`${name} asks nothing under "${step}"; it asks ${known === '' ? 'nothing' : known}`)
}

function parseAnswer({ name, answer: schema }: AskNode, answer: unknown): unknown {
  const parsed = schema.safeParse(answer)
  if (!parsed.success)
    throw new InvalidInput(`The answer to "${name}" does not fit:\n${z.prettifyError(parsed.error)}`)
  return JSON.parse(toJsonText(parsed.data, `The answer to "${name}"`))
}

function requireInTime({ clock }: Ports, { name }: AskNode, { deadline }: Question): void {
  if (clock.now() >= deadline)
    throw new Timeout(`"${name}" could be answered until ${new Date(deadline).toISOString()}`)
}

/** Another may have answered meanwhile. */
async function requireSame(ports: Ports, address: CallAddress, value: unknown): Promise<void> {
  const { result }: CallEntry = (await ports.store.calls.read(address)).entry(address.entry)
  if (result?.ok && toJsonText(result.value, 'The answer') === toJsonText(value, 'The answer')) return
  throw new InvalidInput(
    `Another answer was given before: ${JSON.stringify(result?.ok ? result.value : null)}`,
  )
}
