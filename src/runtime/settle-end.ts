import type { Run, RunEnding } from '../store/records.ts'
import { settleCancel, stopSteps } from './cancel-run.ts'
import { tell } from './finish-run.ts'
import type { Ports } from './ports.ts'

/** Ends a doer's run; what is still done for one that failed is cancelled, and whoever waits is told. Repeatable. */
export async function finishDoer(ports: Ports, run: Run, ending: RunEnding): Promise<void> {
  await ports.store.runs.end(run, ending, ports.clock.now(), ports.random())
  const ended = await ports.store.runs.read(run.id)
  if (ended) await settleEnd(ports, ended)
}

/** What is left to do for a run that is over: bring a cancel that stopped midway to its end, and tell whoever waits. */
export async function settleEnd(ports: Ports, run: Run): Promise<void> {
  if (run.status === 'running' || run.told) return
  if (run.status === 'cancelled') await settleCancel(ports, run)
  else if (run.kind === 'doer' && run.status !== 'completed') await stopSteps(ports, run)
  await tell(ports, run)
}
