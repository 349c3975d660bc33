import type { RunView } from '../../../src/gateway/run-view.ts'
import type { SkippableTime } from '../faults/skippable-time.ts'
import type { GatewayClient } from '../test-project.ts'

const LOOK_EVERY_MS = 100

/** The run of a doer's last step. */
export const childOf = (gateway: GatewayClient, { steps }: RunView): Promise<RunView> =>
  gateway.look(String(steps.at(-1)?.run))

/** Looks at a doer until it has ended; what its thinker waits for is skipped. */
export async function endedAfterWaits(
  gateway: GatewayClient,
  time: SkippableTime,
  id: string,
): Promise<RunView> {
  const skipped = new Set<string>()
  for (;;) {
    const run = await gateway.until(id, ({ status, steps }) => status !== 'running' || steps.length > 0)
    if (run.status !== 'running') return run
    const { until, ms } = await waitOf(gateway, run)
    if (until !== undefined && !skipped.has(until)) {
      skipped.add(until)
      time.skip(ms)
    }
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS))
  }
}

/** What the thinker of a doer's last step waits for. */
async function waitOf(
  gateway: GatewayClient,
  run: RunView,
): Promise<{ readonly until: string | undefined; readonly ms: number }> {
  const childId = run.steps.at(-1)?.run
  const child = childId === undefined ? undefined : await gateway.find(childId)
  const { waitUntil, endedAt } = child?.turns.at(-1) ?? {}
  return { until: waitUntil, ms: Date.parse(waitUntil ?? '') - Date.parse(endedAt ?? '') }
}
