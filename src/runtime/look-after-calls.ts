import { Interrupted, Throttled, Timeout } from '../core/errors.ts'
import type { AskedCall, Claim, Run } from '../store/records.ts'
import { openCalls } from '../store/turns.ts'
import { nudgeTarget, placeOf } from './asked-calls.ts'
import type { CommittedTurn } from './decide.ts'
import { dispatchCalls } from './dispatch-calls.ts'
import { failCall } from './fail-call.ts'
import type { Ports } from './ports.ts'

/** Lambda drops an asynchronous event of a tool's function that is older. */
const MAXIMUM_EVENT_AGE_SECONDS = 300
const LATE_MARGIN_SECONDS = 30
const LATE_PERIODS = 3

/**
 * A turn with open calls was looked at. Calls that a dead invocation may not have dispatched, calls that are late and calls whose
 * claim has died are dispatched again or given the failure that this means; the rest is left alone.
 */
export async function lookAfterCalls(
  ports: Ports,
  run: Run,
  turn: CommittedTurn,
  deadRequestId?: string,
): Promise<void> {
  const { outcome, requestId, endedAt } = turn.body
  if (outcome.kind !== 'calls') return
  const { calls } = outcome
  const now = ports.clock.now()
  const neverSent = requestId === deadRequestId
  await Promise.all(
    openCalls(turn).map(async (entry) => {
      const call = calls[entry]
      if (!call?.target) return
      const { claim } = turn.results.entry(entry)
      const verdict = judgeOpenCall({ target: call.target, claim, askedAt: endedAt, neverSent, now })
      switch (verdict) {
        case 'leave':
          return
        case 'dispatch':
          return dispatchCalls(ports, run, turn.number, calls, [entry])
        case 'give-up': {
          const place = placeOf(run, { number: turn.number, calls }, entry)
          return failCall(ports, { place, nudge: nudgeTarget(run), runId: run.id }, lost(call, claim), claim)
        }
      }
    }),
  )
}

/** What an open call is due; pure. */
export function judgeOpenCall({
  target,
  claim,
  askedAt,
  neverSent,
  now,
}: {
  readonly target: NonNullable<AskedCall['target']>
  readonly claim: Claim | undefined
  readonly askedAt: number
  readonly neverSent: boolean
  readonly now: number
}): 'leave' | 'dispatch' | 'give-up' {
  // A child is looked after by its own run; making it again is harmless.
  if (target.kind !== 'tool') return neverSent || now - askedAt > latePeriodMs(0) ? 'dispatch' : 'leave'
  const periods = (now - askedAt) / latePeriodMs(target.timeoutSeconds)
  if (claim) {
    if (now <= claim.deadAfter) return 'leave'
    if (periods > LATE_PERIODS) return 'give-up'
    return target.readOnly || target.idempotent ? 'dispatch' : 'give-up'
  }
  if (periods > LATE_PERIODS) return 'give-up'
  return neverSent || periods > 1 ? 'dispatch' : 'leave'
}

const latePeriodMs = (timeoutSeconds: number): number =>
  (MAXIMUM_EVENT_AGE_SECONDS + timeoutSeconds + LATE_MARGIN_SECONDS) * 1_000

function lost({ name, target }: AskedCall, claim: Claim | undefined): Error {
  if (target?.kind === 'tool' && (target.readOnly || target.idempotent))
    return new Timeout(`${name} did not answer`)
  // Without a claim it never ran, and the failure that is written now keeps it from running later.
  if (!claim) return new Throttled(`${name} could not be begun, and has changed nothing`)
  return new Interrupted(`${name} was begun and its function is gone, so its outcome is unknown`)
}
