import { ExternalService, Throttled, Timeout, toFailure } from '../core/errors.ts'
import type { Thinker } from '../core/thinker.ts'
import { ProviderThrottled } from '../model/throttled.ts'
import type { Model, Reply } from '../model/types.ts'
import type { Lease, Run, Turn, TurnBody, TurnOutcome } from '../store/records.ts'
import { toMessages } from './conversation.ts'
import { lastInARow } from './decide.ts'
import { dispatchCalls } from './dispatch-calls.ts'
import { finishRun } from './finish-run.ts'
import { answerOf, offersOf } from './palette.ts'
import type { Invocation, Ports } from './ports.ts'
import { readReply } from './read-reply.ts'

/** The model call is aborted this long before Lambda kills the function, so that its failure can be committed. */
const ABORT_BEFORE_DEADLINE_MS = 15_000
const FIRST_WAIT_MS = 10_000
/** A provider that asks for a longer wait fails the run at once: whoever asked is to know, rather than wait with it. */
const LONGEST_WAIT_MS = 900_000
/** The last moment that a Date can say. */
const LAST_MOMENT = 8_640_000_000_000_000

export interface TurnToTake {
  readonly run: Run
  readonly turns: readonly Turn[]
  readonly number: number
  /** The lease that this one takes over. */
  readonly expired?: Lease
}

/** Leases the turn, asks the model, commits what it said, and acts on it. Whoever loses the lease changes nothing. */
export async function takeTurn(
  ports: Ports,
  agent: { readonly thinker: Thinker; readonly model: Model },
  invocation: Invocation,
  { run, turns, number, expired }: TurnToTake,
): Promise<void> {
  const { owner, requestId, deadline } = invocation
  const startedAt = ports.clock.now()
  const lease = { owner, requestId, until: deadline, startedAt, attempt: (expired?.attempt ?? 0) + 1 }
  if (!(await ports.store.turns.lease(run, number, lease, expired))) return

  const asked = await askModel(ports, agent, invocation, { run, turns, number })
  if (asked.kind === 'hopeless') {
    ports.reportFault(asked.error, `${run.agent} in run ${run.id}, turn ${number}`)
    return finishRun(ports, run, { status: 'failed', error: toFailure(asked.error) }, owner)
  }

  const { outcome } = asked
  const body: TurnBody = {
    startedAt,
    endedAt: ports.clock.now(),
    requestId,
    outcome,
    ...(asked.reply && { model: asked.reply.model, usage: asked.reply.usage }),
  }
  if (!(await ports.store.turns.commit(run, number, owner, body))) return
  await act(ports, run, number, outcome, owner)
}

type Asked =
  | { readonly kind: 'outcome'; readonly outcome: TurnOutcome; readonly reply?: Reply }
  /** Asking again cannot help. */
  | { readonly kind: 'hopeless'; readonly error: unknown }

async function askModel(
  ports: Ports,
  { thinker, model }: { readonly thinker: Thinker; readonly model: Model },
  { deadline }: Invocation,
  { run, turns, number }: TurnToTake,
): Promise<Asked> {
  const abort = new AbortController()
  const late = new Timeout('The model had not answered when the turn had to end')
  const cancelTimer = ports.clock.setTimer(deadline - ABORT_BEFORE_DEADLINE_MS - ports.clock.now(), () =>
    abort.abort(late),
  )
  try {
    const reply = await model.exchange({
      grade: thinker.grade,
      outputSize: thinker.outputSize,
      messages: toMessages(thinker, run.input, turns),
      tools: offersOf(thinker),
      answer: answerOf(thinker),
      signal: abort.signal,
    })
    return { kind: 'outcome', outcome: readReply(thinker, reply, { runId: run.id, turn: number }), reply }
  } catch (error) {
    if (!isWorthAnotherTry(error)) return { kind: 'hopeless', error }
    const now = ports.clock.now()
    const waitMs = waitAfter(error, turns)
    if (waitMs > LONGEST_WAIT_MS) return { kind: 'hopeless', error: notBefore(error, now, waitMs) }
    const until = now + waitMs
    return { kind: 'outcome', outcome: { kind: 'wait', until, failure: toFailure(error) } }
  } finally {
    cancelTimer()
  }
}

const isWorthAnotherTry = (error: unknown): boolean =>
  [ExternalService, Throttled, Timeout].some((kind) => error instanceof kind)

/** In milliseconds: as long as the provider asked, else twice as long each time in a row. */
function waitAfter(error: unknown, turns: readonly Turn[]): number {
  const asked = error instanceof ProviderThrottled ? error.retryAfterSeconds : undefined
  return asked === undefined ? FIRST_WAIT_MS * 2 ** lastInARow(turns, 'wait') : asked * 1_000
}

function notBefore(error: unknown, now: number, waitMs: number): Throttled {
  const at = new Date(Math.min(now + waitMs, LAST_MOMENT)).toISOString()
  const said = toFailure(error).message
  return new Throttled(`${said}; it asks to come back in ${waitMs / 1_000} s, at ${at}`, { cause: error })
}

async function act(
  ports: Ports,
  run: Run,
  number: number,
  outcome: TurnOutcome,
  owner: string,
): Promise<void> {
  const again = () => ports.send(`turn-${run.agent}`, { kind: 'nudge', runId: run.id })
  switch (outcome.kind) {
    case 'answer':
      return finishRun(ports, run, { status: 'completed', output: outcome.value }, owner)
    case 'correction':
      return again()
    case 'wait':
      return ports.store.runs.lookAgain(run, outcome.until)
    case 'calls':
      return outcome.calls.every((call) => call.answered)
        ? again()
        : dispatchCalls(ports, run, number, outcome.calls)
  }
}
