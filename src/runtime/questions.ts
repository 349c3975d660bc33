import * as z from 'zod'
import type { Doer } from '../core/doer.ts'
import { type AskNode, nodesOf } from '../core/doer-plan.ts'
import { Interrupted, InvalidInput, NotFound, Timeout, toFailure } from '../core/errors.ts'
import { toJsonText } from '../core/json-text.ts'
import { LARGEST_ANSWER_BYTES } from '../core/keep.ts'
import { type CallAddress, placesAround, stepCall } from '../store/keys.ts'
import type { Question, Run } from '../store/records.ts'
import type { AskMessage } from './messages.ts'
import { refusePointers } from './pointers.ts'
import { LOOK_AGAIN_MS, type Ports } from './ports.ts'

/**
 * A doer's machine asks a person: the question is on record until it is answered, and keeps every token that it was asked with. A repeat does
 * not move its deadline.
 */
export async function noteQuestion(ports: Ports, message: AskMessage): Promise<void> {
  const { runId, step, question, deadlineSeconds, taskToken } = message
  const run = await ports.store.runs.read(runId)
  if (run?.status !== 'running') {
    const failure = toFailure(new Interrupted(`The run ${runId} is over`))
    return ports.machines.answer(taskToken, { failure })
  }
  const address = stepCall(runId, step)
  if (await ports.store.calls.isClosed([address, ...placesAround(runId, step)])) return
  const place = {
    ...address,
    expected: 1,
    expiresAt: run.expiresAt,
    step: { ...step, callable: 'ask', input: question },
  }
  const askedAt = Date.parse(message.askedAt)
  const deadline = askedAt + deadlineSeconds * 1_000
  await ports.store.calls.noteQuestion(place, { askedAt, deadline, tokens: new Set([taskToken]) })
  // This delivery may come after the answer.
  await tellAnswer(ports, address)
}

/** Tells the machine the answer that is on record, if there is one; only `resume` may. */
export async function tellAnswer(ports: Ports, address: CallAddress): Promise<void> {
  const { closed, entry } = await ports.store.calls.read(address)
  const { question, result } = entry(address.entry)
  if (question && result?.ok) {
    const { value: output } = result
    await Promise.all([...question.tokens].map((token) => ports.machines.answer(token, { output })))
  }
  // Without a result one may be on its way, unless the question was given up.
  if (result || closed) await ports.store.runs.answerTold(address.runId, address.sk)
}

/** What the events that tell answers left undone, since they were lost or whoever answered died before. */
export async function tellAnswers(ports: Ports, run: Run): Promise<void> {
  for (const sk of run.untold) await tellAnswer(ports, { runId: run.id, sk, entry: 0 })
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
  const run = await ports.store.runs.read(place.runId)
  const asked = await findQuestion(ports, place)
  if (!run || run.agent !== doer.name) throw notAsked(doer, place, [])
  if (asked.kind === 'not-asked') throw notAsked(doer, place, asked.elsewhere)
  const value = parseAnswer(node, answer)
  const address = stepCall(run.id, asked.step)
  const { closed, entry } = await ports.store.calls.read(address)
  if (!entry(address.entry).result) {
    const isOver = new Interrupted(`The run ${run.id} is over, or went on without an answer`)
    if (run.status !== 'running' || closed) throw isOver
    requireInTime(ports, node, asked.question)
    const now = ports.clock.now()
    // Noted first: should this die, or the event be lost, the sweep tells it.
    if (!(await ports.store.runs.noteAnswer(run, address.sk, now + LOOK_AGAIN_MS))) throw isOver
    const given = {
      ok: true as const,
      value,
      startedAt: asked.question.askedAt,
      endedAt: now,
    }
    const place = { ...address, expected: 1, expiresAt: run.expiresAt }
    await ports.store.calls.record(place, given, ports.random(), { kind: 'open' })
  }
  await requireSame(ports, address, value)
  await ports.send('resume', { kind: 'answered', runId: run.id, step: asked.step })
}

/** Where the question stands: under the number that it had when the machine was compiled that asks it. */
async function findQuestion({ store }: Ports, { runId, step, indexes = [] }: QuestionPlace) {
  const elsewhere: (readonly number[])[] = []
  for await (const { number, name, indexes: own, question } of store.stepNotes(runId)) {
    if (!question || name !== step) continue
    if (own.join() === indexes.join())
      return {
        kind: 'asked' as const,
        question,
        step: { number, name, ...(own.length > 0 && { indexes: [...own] }) },
      }
    if (elsewhere.length < MOST_TOLD) elsewhere.push(own)
  }
  return { kind: 'not-asked' as const, elsewhere }
}

/** Of the places where something is asked so many are told. */
const MOST_TOLD = 10

function notAsked(
  { name }: Doer,
  { runId, step, indexes = [] }: QuestionPlace,
  elsewhere: readonly (readonly number[])[],
): NotFound {
  const where = indexes.length === 0 ? '' : ` at the indexes ${JSON.stringify(indexes)}`
  const instead =
    elsewhere.length === 0 ? '' : `; it is asked at ${elsewhere.map((own) => JSON.stringify(own)).join(', ')}`
  return new NotFound(`The run ${runId} of ${name} has not asked "${step}"${where}${instead}`)
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
  refusePointers(parsed.data, `The answer to "${name}"`)
  const text = toJsonText(parsed.data, `The answer to "${name}"`)
  if (Buffer.byteLength(text) > LARGEST_ANSWER_BYTES)
    throw new InvalidInput(`The answer to "${name}" has more than ${LARGEST_ANSWER_BYTES} bytes`)
  return JSON.parse(text)
}

function requireInTime({ clock }: Ports, { name }: AskNode, { deadline }: Question): void {
  if (clock.now() >= deadline)
    throw new Timeout(`"${name}" could be answered until ${new Date(deadline).toISOString()}`)
}

/** Another may have answered meanwhile. */
async function requireSame(ports: Ports, address: CallAddress, value: unknown): Promise<void> {
  const { closed, entry } = await ports.store.calls.read(address)
  const { result } = entry(address.entry)
  if (!result && closed)
    throw new Interrupted(`The run ${address.runId} is over, or went on without an answer`)
  if (result?.ok && toJsonText(result.value, 'The answer') === toJsonText(value, 'The answer')) return
  throw new InvalidInput(
    `Another answer was given before: ${JSON.stringify(result?.ok ? result.value : null)}`,
  )
}
