import { toFailure } from '../core/errors.ts'
import type { CallPlace } from '../store/calls.ts'
import type { CallResult, Claim } from '../store/records.ts'
import type { FunctionId, Ports } from './ports.ts'

/**
 * Gives a call a failure in place of the result that will not come, and nudges when the turn is complete. `claim` is the dead claim
 * that was seen, or undefined when there was none: should another have claimed the call since, nothing is written.
 */
export async function failCall(
  ports: Ports,
  { place, nudge, runId }: { readonly place: CallPlace; readonly nudge: FunctionId; readonly runId: string },
  error: unknown,
  claim: Claim | undefined,
): Promise<void> {
  const now = ports.clock.now()
  const result: CallResult = {
    ok: false,
    failure: toFailure(error),
    startedAt: claim?.claimedAt ?? now,
    endedAt: now,
  }
  const recorded = await ports.store.calls.record(place, result, ports.random(), { kind: 'abandoned', claim })
  if (recorded.complete) await ports.send(nudge, { kind: 'nudge', runId })
}
