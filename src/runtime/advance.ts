import type { Thinker } from '../core/thinker.ts'
import type { Model } from '../model/types.ts'
import { decide } from './decide.ts'
import { finishRun } from './finish-run.ts'
import { lookAfterCalls } from './look-after-calls.ts'
import type { NudgeMessage } from './messages.ts'
import type { Invocation, Ports } from './ports.ts'
import { settleEnd } from './settle-end.ts'
import { takeTurn } from './take-turn.ts'

/**
 * The whole of a turn function: looks at a thinker's run in the table and does the next thing. It may be called at any time, by
 * anybody, twice at once; it holds nothing between calls.
 */
export async function advance(
  ports: Ports,
  { thinker, model }: { readonly thinker: Thinker; readonly model: Model },
  invocation: Invocation,
  { runId, deadRequestId }: Omit<NudgeMessage, 'kind'>,
): Promise<void> {
  const history = await ports.store.turns.history(runId)
  if (!history) return
  const { run, turns } = history
  if (run.status !== 'running') return settleEnd(ports, run)
  const decision = decide(turns, thinker.maxTurns, ports.clock.now())
  switch (decision.kind) {
    case 'nothing':
      return
    case 'wait':
      return ports.store.runs.lookAgain(run, decision.until)
    case 'finish':
      return finishRun(ports, run, decision.ending, invocation.owner)
    case 'look-after-calls':
      return lookAfterCalls(ports, run, decision.turn, deadRequestId)
    case 'take-turn':
      return takeTurn(ports, { thinker, model }, invocation, { run, turns, ...decision })
  }
}
