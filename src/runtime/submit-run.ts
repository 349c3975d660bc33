import type { Callable } from '../core/callable.ts'
import { toJsonText } from '../core/json-text.ts'
import { isTool } from '../core/tool.ts'
import type { AskedCall, Run } from '../store/records.ts'
import { toolTarget } from './asked-calls.ts'
import { beginAgent } from './children.ts'
import { dispatchCalls } from './dispatch-calls.ts'
import { inputOfRun, parseInput } from './parse-input.ts'
import { LOOK_AGAIN_MS, type Ports } from './ports.ts'
import { inputHash, keyedRunId } from './run-ids.ts'

/** Records are kept this long, from the start of the first run of the family. */
const KEEP_SECONDS = 90 * 24 * 3_600

export type Submitted =
  | { readonly kind: 'accepted' | 'repeated'; readonly runId: string }
  /** The idempotency key belongs to a run with another input. */
  | { readonly kind: 'conflict'; readonly runId: string }

/**
 * Submits a tool, thinker or doer: a record, then a nudge. With an idempotency key a repeat finds the same run, and nudges it again.
 * Throws `InvalidInput` when the input does not fit.
 */
export async function submitRun(
  ports: Ports,
  callable: Callable,
  input: unknown,
  options: { readonly idempotencyKey?: string | undefined } = {},
): Promise<Submitted> {
  const kept = inputOfRun(callable, input, parseInput(callable, input))
  const now = ports.clock.now()
  const { kind, name: agent } = callable
  const runId =
    options.idempotencyKey === undefined ? ports.random() : keyedRunId(agent, options.idempotencyKey)
  const hash = inputHash(toJsonText(input, 'The input'))
  const expiresAt = Math.floor(now / 1_000) + KEEP_SECONDS
  if (isTool(callable)) {
    const call = { name: callable.name, target: toolTarget(callable), input }
    if (!(await commitToolCall(ports, call, { runId, now, expiresAt }))) return { kind: 'conflict', runId }
  }
  const created = await ports.store.runs.create({
    id: runId,
    kind,
    agent,
    input: kept,
    inputHash: hash,
    createdAt: now,
    expiresAt,
    lookAt: now + LOOK_AGAIN_MS,
  })
  const run = await ports.store.runs.read(runId)
  if (!run) throw new Error(`The run ${runId} was written and is not there`)
  if (run.inputHash !== hash) return { kind: 'conflict', runId }
  // The record stands, so the run is accepted: a nudge that could not be sent is a lost one, and the sweep finds the run.
  if (run.status === 'running') await begin(ports, run).catch(() => undefined)
  return { kind: created ? 'accepted' : 'repeated', runId }
}

/**
 * A tool that is submitted by itself is a run of one turn that nobody had to decide. The turn is written before the run, so that no run
 * lacks it; false when it stands there with another input, of a submission that may have stopped before it made the run.
 */
async function commitToolCall(
  ports: Ports,
  { name, target, input }: Required<Pick<AskedCall, 'name' | 'target'>> & { readonly input: unknown },
  { runId, now, expiresAt }: { readonly runId: string; readonly now: number; readonly expiresAt: number },
): Promise<boolean> {
  const call: AskedCall = { id: 'call_1', name, arguments: toJsonText(input, 'The input'), target, input }
  const outcome = { kind: 'calls' as const, text: '', calls: [call] }
  await ports.store.turns.commitFirst(
    runId,
    { startedAt: now, endedAt: now, requestId: `submit-${runId}`, outcome },
    expiresAt,
  )
  return (await readToolCall(ports, runId))?.[0]?.arguments === call.arguments
}

async function readToolCall(ports: Ports, runId: string): Promise<readonly AskedCall[] | undefined> {
  const turn = await ports.store.turns.read(runId, 1)
  return turn?.state === 'committed' && turn.body.outcome.kind === 'calls'
    ? turn.body.outcome.calls
    : undefined
}

/** Sets a run going; harmless when it is going already. */
async function begin(ports: Ports, run: Run): Promise<void> {
  const { id, kind, agent, input } = run
  if (kind !== 'tool') return beginAgent(ports, { id, kind, agent, input })
  const calls = await readToolCall(ports, id)
  if (calls) await dispatchCalls(ports, run, 1, calls)
}
