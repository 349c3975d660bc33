import { ExternalService, Internal, toFailure } from '../core/errors.ts'
import type { Lease, RunEnding, Turn, TurnOutcome } from '../store/records.ts'
import { openCalls } from '../store/turns.ts'

/** The next thing to do for a running thinker; a pure function of what stands in the table. */
export type Decision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'finish'; readonly ending: RunEnding }
  | { readonly kind: 'look-after-calls'; readonly turn: CommittedTurn }
  | { readonly kind: 'take-turn'; readonly number: number; readonly expired?: Lease }
  /** The timer was lost: the run is to be looked at again when the wait is over. */
  | { readonly kind: 'wait'; readonly until: number }

export type CommittedTurn = Turn & { readonly state: 'committed' }

const LEASES_PER_TURN = 3
const MAXIMUM_CORRECTIONS = 2
const MAXIMUM_WAITS = 5

export function decide(turns: readonly Turn[], maxTurns: number, now: number): Decision {
  const last = turns.at(-1)
  if (last === undefined) return { kind: 'take-turn', number: 1 }
  switch (last.state) {
    case 'tombstone':
      return { kind: 'nothing' }
    case 'leased':
      return decideLeased(last, now)
    case 'committed':
      return decideCommitted(last, turns, maxTurns, now)
  }
}

function decideLeased({ number, lease }: Turn & { state: 'leased' }, now: number): Decision {
  if (lease.until > now) return { kind: 'nothing' }
  if (lease.attempt < LEASES_PER_TURN) return { kind: 'take-turn', number, expired: lease }
  const error = toFailure(
    new Internal(`Turn ${number} was begun ${LEASES_PER_TURN} times, and its function died each time`),
  )
  return { kind: 'finish', ending: { status: 'failed', error } }
}

function decideCommitted(
  last: CommittedTurn,
  turns: readonly Turn[],
  maxTurns: number,
  now: number,
): Decision {
  const { outcome } = last.body
  const next: Decision =
    turns.filter(isReply).length < maxTurns
      ? { kind: 'take-turn', number: last.number + 1 }
      : { kind: 'finish', ending: { status: 'exhausted' } }
  switch (outcome.kind) {
    case 'answer':
      return { kind: 'finish', ending: { status: 'completed', output: outcome.value } }
    case 'calls':
      return openCalls(last).length > 0 ? { kind: 'look-after-calls', turn: last } : next
    case 'correction':
      return lastInARow(turns, 'correction') > MAXIMUM_CORRECTIONS
        ? failed(
            new ExternalService(
              'LLM',
              `no usable answer after ${MAXIMUM_CORRECTIONS} corrections: ${outcome.correction}`,
            ),
          )
        : next
    case 'wait':
      if (lastInARow(turns, 'wait') >= MAXIMUM_WAITS)
        return { kind: 'finish', ending: { status: 'failed', error: outcome.failure } }
      return outcome.until > now ? { kind: 'wait', until: outcome.until } : next
  }
}

const failed = (error: Error): Decision => ({
  kind: 'finish',
  ending: { status: 'failed', error: toFailure(error) },
})

/** A turn in which the model said something; turns that only waited do not count against the limit. */
const isReply = (turn: Turn): boolean => turn.state === 'committed' && turn.body.outcome.kind !== 'wait'

/** How many turns at the end of the run had this outcome, one after another. */
export function lastInARow(turns: readonly Turn[], kind: TurnOutcome['kind']): number {
  const other = turns.findLastIndex((turn) => turn.state !== 'committed' || turn.body.outcome.kind !== kind)
  return turns.length - 1 - other
}
