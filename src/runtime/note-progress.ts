import { stepCall } from '../store/keys.ts'
import type { EmitMessage } from './messages.ts'
import type { Ports } from './ports.ts'

/** What a doer tells of how it goes, on record as a step that is done at once. A repeat changes nothing. */
export async function noteProgress(ports: Ports, { runId, step, message }: EmitMessage): Promise<void> {
  const run = await ports.store.runs.read(runId)
  if (run?.status !== 'running') return
  const now = ports.clock.now()
  const place = {
    ...stepCall(runId, step),
    expected: 1,
    expiresAt: run.expiresAt,
    step: { ...step, callable: 'emit', input: message },
  }
  const result = { ok: true as const, value: null, startedAt: now, endedAt: now }
  await ports.store.calls.record(place, result, ports.random(), { kind: 'open' })
}
