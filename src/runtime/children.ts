import { toJsonText } from '../core/json-text.ts'
import { turnCall } from '../store/keys.ts'
import type { AskedCall, Run, Waiter } from '../store/records.ts'
import { type AskedTurn, expectedResults, nudgeTarget } from './asked-calls.ts'
import { LOOK_AGAIN_MS, type Ports } from './ports.ts'
import { inputHash } from './run-ids.ts'

type AgentRun = Pick<Run, 'id' | 'agent' | 'input'> & { readonly kind: 'thinker' | 'doer' }

/** Sets an agent's run going; harmless when it is going already. */
export async function beginAgent(ports: Ports, run: AgentRun): Promise<void> {
  if (run.kind === 'thinker') await ports.send(nudgeTarget(run), { kind: 'nudge', runId: run.id })
  else await ports.machines.start(run.agent, run.id, { runId: run.id, input: run.input })
}

/** Makes the run of an agent that was called as a tool, and sets it going. */
export async function startChild(
  ports: Ports,
  parent: Run,
  { number, calls, entry }: AskedTurn & { readonly entry: number },
  call: AskedCall,
  { kind, childId }: { readonly kind: 'thinker' | 'doer'; readonly childId: string },
): Promise<void> {
  const { runId, sk } = turnCall(parent.id, number, entry)
  const waiter: Waiter = {
    runId,
    sk,
    entry,
    expected: expectedResults(calls),
    ...(parent.kind === 'thinker' && { thinker: parent.agent }),
  }
  await ports.store.runs.create(
    newChild(ports, { id: childId, kind, agent: call.name, input: call.input, parent, waiter }),
  )
  await beginAgent(ports, { id: childId, kind, agent: call.name, input: call.input })
}

/** What a child's run is when it is made: it lives as long as its family, and its parent waits for it. */
export function newChild(
  ports: Ports,
  child: {
    readonly id: string
    readonly kind: 'thinker' | 'doer'
    readonly agent: string
    readonly input: unknown
    readonly parent: Pick<Run, 'expiresAt'>
    readonly waiter: Waiter
    readonly token?: string
    readonly cancelled?: boolean
  },
) {
  const { parent, ...rest } = child
  const now = ports.clock.now()
  return {
    ...rest,
    inputHash: inputHash(toJsonText(child.input, 'The input')),
    createdAt: now,
    expiresAt: parent.expiresAt,
    lookAt: now + LOOK_AGAIN_MS,
  }
}
