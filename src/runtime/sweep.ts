import pMap from 'p-map'
import { NotFound, toFailure } from '../core/errors.ts'
import type { DueRun } from '../store/runs.ts'
import { nudgeTarget } from './asked-calls.ts'
import { finishRun } from './finish-run.ts'
import { LOOK_AGAIN_MS, type Ports } from './ports.ts'
import { finishDoer } from './settle-end.ts'

/** Runs that one sweep looks at, per shard of the index; the rest come with the next one, oldest first. */
const RUNS_PER_SHARD = 250
const AT_ONCE = 16
/** Doers are described slowly: Step Functions answers DescribeExecution 15 times a second. */
const DOER_LOOK_MS = 300_000

/** Looks at every open run that is due. A run that cannot be looked at does not keep the others from it; its error is thrown at the end. */
export async function sweep(ports: Ports, lookAtRun: (runId: string) => Promise<void>): Promise<void> {
  const now = ports.clock.now()
  const due = await ports.store.runs.due(now, RUNS_PER_SHARD)
  const lookAt = async (run: DueRun) => {
    try {
      if (run.kind === 'thinker') await ports.send(nudgeTarget(run), { kind: 'nudge', runId: run.id })
      else await lookAtRun(run.id)
    } catch (error) {
      // What the run needs was taken out of the deployment: it can only end.
      if (!(error instanceof NotFound)) throw error
      await failRun(ports, run.id, error)
    } finally {
      // After the look: a sweep that dies between the two looks again. Also after one that failed, or it would stand before the others.
      const soon = now + LOOK_AGAIN_MS
      await ports.store.runs.lookedAt(run, run.kind === 'doer' ? now + DOER_LOOK_MS : soon, soon)
    }
  }
  const errors: unknown[] = []
  const tryToLookAt = (run: DueRun) => lookAt(run).catch((error: unknown) => errors.push(error))
  await pMap(due, tryToLookAt, { concurrency: AT_ONCE })
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} of ${due.length} runs could not be looked at`)
}

async function failRun(ports: Ports, runId: string, error: NotFound): Promise<void> {
  const run = await ports.store.runs.read(runId)
  const ending = { status: 'failed', error: toFailure(error) } as const
  if (run?.kind === 'doer') await finishDoer(ports, run, ending)
  else if (run) await finishRun(ports, run, ending, ports.random())
}
