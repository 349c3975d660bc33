import { Denied, NotFound } from '../core/errors.ts'
import type { AskedCall, Run } from '../store/records.ts'
import { type AskedTurn, expectedResults, nudgeTarget, placeOf } from './asked-calls.ts'
import { startChild } from './children.ts'
import { failCall } from './fail-call.ts'
import type { CallMessage } from './messages.ts'
import type { Ports } from './ports.ts'

/** An event carries at most 1 MB (Lambda); a larger input is read from the turn by the tool's function. */
const INPUT_IN_EVENT_BYTES = 200_000

/** Dispatches all calls of a turn, or those at `only`. Every dispatch may be repeated: a claim or a first result makes the double harmless. */
export async function dispatchCalls(
  ports: Ports,
  run: Run,
  number: number,
  calls: readonly AskedCall[],
  only: readonly number[] = [...calls.keys()],
): Promise<void> {
  await Promise.all(only.map((entry) => dispatchCall(ports, run, { number, calls }, entry)))
}

async function dispatchCall(ports: Ports, run: Run, turn: AskedTurn, entry: number): Promise<void> {
  const call = turn.calls[entry]
  if (!call?.target) return
  try {
    if (call.target.kind === 'tool')
      await ports.send(`tool-${call.name}`, callMessage(run, turn, entry, call, call.target))
    else await startChild(ports, run, { ...turn, entry }, call, call.target)
  } catch (error) {
    // A function that is not there, or may not be invoked, is this call's failure; anything else may have lost the message.
    if (!(error instanceof Denied || error instanceof NotFound)) throw error
    await failCall(
      ports,
      { place: placeOf(run, turn, entry), nudge: nudgeTarget(run), runId: run.id },
      error,
      undefined,
    )
  }
}

function callMessage(
  run: Run,
  { number, calls }: AskedTurn,
  entry: number,
  { name: tool, input }: AskedCall,
  { readOnly, idempotent, timeoutSeconds }: Extract<NonNullable<AskedCall['target']>, { kind: 'tool' }>,
): CallMessage {
  return {
    kind: 'call',
    runId: run.id,
    agent: run.agent,
    tool,
    turn: number,
    entry,
    expected: expectedResults(calls),
    attempt: 1,
    expiresAt: run.expiresAt,
    nudge: nudgeTarget(run),
    readOnly,
    idempotent,
    timeoutSeconds,
    ...(Buffer.byteLength(JSON.stringify(input ?? null)) <= INPUT_IN_EVENT_BYTES && { input }),
  }
}
