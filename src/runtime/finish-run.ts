import { ExternalService, type Failure, Interrupted, toFailure } from '../core/errors.ts'
import type { Run, RunEnding } from '../store/records.ts'
import { cutAnswer } from './cut-answer.ts'
import type { Ports } from './ports.ts'

/** Ends a run and tells whoever waits for it. Repeatable: a run that is over already is only told. */
export async function finishRun(ports: Ports, run: Run, ending: RunEnding, owner: string): Promise<void> {
  await ports.store.runs.end(run, ending, ports.clock.now(), owner)
  const ended = await ports.store.runs.read(run.id)
  if (ended && ended.status !== 'running' && !ended.told) await tell(ports, ended)
}

/**
 * Tells the end of a run to its parent's call and to every task token, then notes that it did. A token that comes meanwhile
 * is told too: the note is refused until all are.
 */
export async function tell(ports: Ports, run: Run): Promise<void> {
  if (run.status === 'running') return
  const isAwaited = run.waiter !== undefined || run.tokens.size > 0
  if (isAwaited && !ports.mayTell) return ports.send('resume', { kind: 'tell', runId: run.id })
  const end = endOf(run)
  // The record first: a machine goes on as soon as it has its answer, and the step is to be seen as done by then.
  await tellParent(ports, run, end)
  const answer = 'output' in end && run.waiter ? cutAnswer(end.output, run.waiter, run.waiter.wanted) : end
  await Promise.all([...run.tokens].map((token) => ports.machines.answer(token, answer)))
  if (await ports.store.runs.markTold(run)) return
  const again = await ports.store.runs.read(run.id)
  if (again && !again.told) await tell(ports, again)
}

type End = { readonly output: unknown } | { readonly failure: Failure }

async function tellParent(ports: Ports, run: EndedRun, end: End): Promise<void> {
  const { waiter } = run
  if (!waiter) return
  const times = { startedAt: run.createdAt, endedAt: run.endedAt }
  const result =
    'output' in end
      ? { ok: true as const, value: end.output, ...times }
      : { ok: false as const, failure: end.failure, ...times }
  const place = { ...waiter, expiresAt: run.expiresAt }
  const recorded = await ports.store.calls.record(place, result, run.id, { kind: 'open' })
  if (recorded.complete && waiter.thinker !== undefined)
    await ports.send(`turn-${waiter.thinker}`, { kind: 'nudge', runId: waiter.runId })
}

type EndedRun = Exclude<Run, { status: 'running' }>

/** What a run's end is to its caller: an output, or a failure whatever the reason. */
function endOf(run: EndedRun): End {
  switch (run.status) {
    case 'completed':
      return { output: run.output }
    case 'failed':
      return { failure: run.error }
    case 'exhausted':
      return { failure: toFailure(new ExternalService(run.agent, 'it took all its turns without an answer')) }
    case 'cancelled':
      return { failure: toFailure(new Interrupted(`${run.agent} was cancelled`)) }
  }
}
