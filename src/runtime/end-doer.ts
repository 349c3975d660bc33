import { FAILURE_NAMES, type Failure, type FailureName } from '../core/errors.ts'
import type { Run, RunEnding } from '../store/records.ts'
import type { EndMessage } from './messages.ts'
import { resolvePointers } from './pointers.ts'
import type { Ports } from './ports.ts'
import { tellAnswers } from './questions.ts'
import { finishDoer } from './settle-end.ts'

/** The machine of a doer says how it ended. */
export async function endDoer(ports: Ports, { runId, outcome }: EndMessage): Promise<void> {
  const run = await ports.store.runs.read(runId)
  if (!run) return
  const ending: RunEnding =
    outcome.kind === 'completed'
      ? await completed(ports, runId, outcome.output)
      : { status: 'failed', error: asFailure(outcome.error) }
  await finishDoer(ports, run, ending)
}

/** An output that cannot be put together is the run's failure: the machine is over, and nobody would say anything else later. */
async function completed(ports: Ports, runId: string, output: unknown): Promise<RunEnding> {
  const resolved = await resolvePointers(ports, runId, output)
  return resolved.ok
    ? { status: 'completed', output: resolved.value }
    : { status: 'failed', error: resolved.failure }
}

/** Names of Step Functions and Lambda in our words; what is not ours keeps its name in the message. */
function asFailure({ name, message }: { readonly name: string; readonly message: string }): Failure {
  const own = FAILURE_NAMES.find((known): known is FailureName => known === name)
  if (own) return { name: own, message }
  // Whether a step that changes things took effect before it was stopped is not known here.
  if (name === 'States.Timeout' || name === 'Sandbox.Timedout') return { name: 'Interrupted', message }
  return { name: 'Internal', message: `${name}: ${message}` }
}

/** A doer that should be running: starts it when its start was lost, tells it what it was not told, and learns of an end that its machine could not report. */
export async function lookAtDoer(ports: Ports, run: Run): Promise<void> {
  await tellAnswers(ports, run)
  const status = await ports.machines.describe(run.agent, run.id)
  switch (status.kind) {
    case 'running':
      return
    case 'absent':
      return ports.machines.start(run.agent, run.id, { runId: run.id, input: run.input })
    case 'succeeded':
      return finishDoer(ports, run, await completed(ports, run.id, status.output))
    case 'failed': {
      const error = asFailure({ name: status.error, message: status.cause })
      return finishDoer(ports, run, { status: 'failed', error })
    }
  }
}
