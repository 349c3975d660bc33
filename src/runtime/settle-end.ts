import type { Run } from '../store/records.ts'
import { settleCancel } from './cancel-run.ts'
import { tell } from './finish-run.ts'
import type { Ports } from './ports.ts'

/** What is left to do for a run that is over: bring a cancel that stopped midway to its end, and tell whoever waits. */
export async function settleEnd(ports: Ports, run: Run): Promise<void> {
  if (run.told) return
  if (run.status === 'cancelled') await settleCancel(ports, run)
  await tell(ports, run)
}
