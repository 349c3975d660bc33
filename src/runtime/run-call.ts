import { Interrupted, toFailure } from '../core/errors.ts'
import type { Caller, Tool } from '../core/tool.ts'
import type { CallPlace, Holding } from '../store/calls.ts'
import { turnCall } from '../store/keys.ts'
import type { CallEntries, CallResult, Claim } from '../store/records.ts'
import { executeTool } from './execute-tool.ts'
import { createArtifacts } from './list-artifacts.ts'
import type { CallMessage } from './messages.ts'
import { parseInput } from './parse-input.ts'
import type { Resolved } from './pointers.ts'
import type { Clock, Invocation, Ports } from './ports.ts'
import { idempotencyKeyOf } from './run-ids.ts'

/** What a call needs beside its tool, whoever asked for it. */
export interface Job {
  readonly place: CallPlace
  readonly caller: Caller
  readonly input: Resolved
  readonly env: Readonly<Record<string, string | undefined>>
  /** Strongly consistent: asked after the claim, so that a cancel that has returned is seen. */
  readonly isCancelled: () => Promise<boolean>
  /** How often a machine has asked for the step again. */
  readonly retryCount?: number
}

export type Performed =
  | {
      readonly kind: 'result'
      readonly result: CallResult
      readonly complete: boolean
      readonly isStillRunning: boolean
    }
  /** Another delivery holds the call and may be alive. */
  | { readonly kind: 'busy' }
  /** Its run is over, or went on without it: nothing was run, or what was run is recorded as late. */
  | { readonly kind: 'closed'; readonly isStillRunning: boolean }

/** What performing a call, or finding it done, comes to. */
type Settled = Exclude<Performed, { readonly kind: 'busy' }>

/** A claim is dead this long after its invocation's deadline: clocks differ. */
const CLOCK_MARGIN_MS = 10_000
const WRITE_AGAIN_MS = 200
/** Nothing was run here. */
const CLOSED: Settled = { kind: 'closed', isStillRunning: false }

/** One delivery of a call that a turn asked for. Repeats and doubles change nothing: the table says who runs it. */
export async function runCall(
  ports: Ports,
  tool: Tool,
  invocation: Invocation,
  message: CallMessage,
  env: Job['env'],
): Promise<{ readonly isStillRunning: boolean }> {
  const { runId, agent, turn, entry, expected, expiresAt } = message
  const address = turnCall(runId, turn, entry)
  const performed = await performCall(ports, tool, invocation, {
    place: { ...address, expected, expiresAt },
    caller: { runId, agent, callId: `${turn}/${entry}` },
    input: { ok: true, value: message.input === undefined ? await inputOf(ports, message) : message.input },
    env,
    isCancelled: async () => (await ports.store.calls.read(address)).closed,
  })
  if (performed.kind === 'busy') return { isStillRunning: false }
  if (performed.kind === 'result' && performed.complete)
    await ports.send(message.nudge, { kind: 'nudge', runId })
  return performed
}

async function inputOf(ports: Ports, { runId, turn, entry }: CallMessage): Promise<unknown> {
  const asked = await ports.store.turns.read(runId, turn)
  if (asked?.state !== 'committed' || asked.body.outcome.kind !== 'calls') return undefined
  return asked.body.outcome.calls[entry]?.input
}

/** Result there: return it. Changes things: claim it first. Claimed by one that must be dead: repeat it if that does no harm, else `Interrupted`. */
export async function performCall(
  ports: Ports,
  tool: Tool,
  invocation: Invocation,
  job: Job,
): Promise<Performed> {
  const { place } = job
  const found = await ports.store.calls.read(place)
  const settled = settledAs(found, place)
  if (settled) return settled

  const { claim: seen } = found.entry(place.entry)
  if (seen && ports.clock.now() <= seen.deadAfter) return { kind: 'busy' }
  if (seen && !tool.idempotent) return writeInterrupted(ports, tool, invocation, job, seen)

  const input = readInput(tool, job.input)
  if (!input.ok) {
    const holding = { kind: 'abandoned', claim: seen } as const
    return writeResult(ports, invocation, job, holding, { ...input, ...now(ports.clock) })
  }
  if (tool.readOnly) return execute(ports, tool, invocation, job, input.value, { kind: 'open' })

  const claim: Claim = {
    owner: invocation.owner,
    requestId: invocation.requestId,
    claimedAt: ports.clock.now(),
    deadAfter: invocation.deadline + CLOCK_MARGIN_MS,
  }
  if (!(await ports.store.calls.claim(place, claim, seen))) {
    const entries = await ports.store.calls.read(place)
    return settledAs(entries, place) ?? { kind: 'busy' }
  }
  if (place.step && (await job.isCancelled())) return CLOSED
  return execute(ports, tool, invocation, job, input.value, { kind: 'claim' })
}

function settledAs(entries: CallEntries, { entry, expected }: CallPlace): Settled | undefined {
  const { result } = entries.entry(entry)
  if (result)
    return { kind: 'result', result, complete: entries.done.size >= expected, isStillRunning: false }
  return entries.closed ? CLOSED : undefined
}

async function execute(
  ports: Ports,
  tool: Tool,
  invocation: Invocation,
  job: Job,
  input: unknown,
  holding: Holding,
): Promise<Performed> {
  const startedAt = ports.clock.now()
  const { place, caller, env, isCancelled } = job
  // A step's tries are of one call: what an earlier one did is not done again.
  const idempotencyKey = idempotencyKeyOf(place.step ? { ...place, entry: 0 } : place)
  const { end, outcome, isStillRunning } = await executeTool(tool, input, {
    clock: ports.clock,
    env,
    idempotencyKey,
    caller,
    artifacts: (signal) => createArtifacts(ports, { expiresAt: place.expiresAt, signal }),
    isCancelled,
    onFault: (error) =>
      ports.reportFault(error, `${tool.name} in run ${caller.runId}, call ${caller.callId}`),
  })
  const result: CallResult = { ...end, startedAt, endedAt: ports.clock.now() }
  if (outcome === 'cancelled') {
    await ports.store.calls.recordLate(place, result)
    return { kind: 'closed', isStillRunning }
  }
  // Of code that goes on its machine learns only when it asks again, since the process must end: that is no other try yet.
  const { retryCount } = job
  const told = isStillRunning && retryCount !== undefined ? { ...job, retryCount: retryCount + 1 } : job
  const written = await writeResult(ports, invocation, told, holding, result)
  return { ...written, isStillRunning }
}

/** After the effect the result is written as long as the invocation lives: nobody else can say what happened. */
async function writeResult(
  ports: Ports,
  { owner, deadline }: Invocation,
  { place, retryCount }: Job,
  holding: Holding,
  outcome: CallResult,
): Promise<Settled> {
  const result = retryCount === undefined ? outcome : { ...outcome, retryCount }
  for (;;) {
    try {
      const recorded = await ports.store.calls.record(place, result, owner, holding)
      if (recorded.kind === 'recorded')
        return { kind: 'result', result, complete: recorded.complete, isStillRunning: false }
      const settled = settledAs(recorded.entries, place)
      await ports.store.calls.recordLate(place, result)
      return settled ?? CLOSED
    } catch (error) {
      if (ports.clock.now() + WRITE_AGAIN_MS >= deadline) throw error
      await new Promise<void>((resolve) => {
        ports.clock.setTimer(WRITE_AGAIN_MS, resolve)
      })
    }
  }
}

function writeInterrupted(
  ports: Ports,
  tool: Tool,
  invocation: Invocation,
  job: Job,
  claim: Claim,
): Promise<Performed> {
  const failure = toFailure(
    new Interrupted(`${tool.name} was begun and its function died, so its outcome is unknown`),
  )
  const result: CallResult = { ok: false, failure, startedAt: claim.claimedAt, endedAt: ports.clock.now() }
  return writeResult(ports, invocation, job, { kind: 'abandoned', claim }, result)
}

function readInput(tool: Tool, input: Resolved): Resolved {
  if (!input.ok) return input
  try {
    return { ok: true, value: parseInput(tool, input.value) }
  } catch (error) {
    return { ok: false, failure: toFailure(error) }
  }
}

const now = (clock: Clock) => ({ startedAt: clock.now(), endedAt: clock.now() })
