import pMap from 'p-map'
import { stepCall, turnCall } from '../store/keys.ts'
import type { AskedCall, Run, Turn, Waiter } from '../store/records.ts'
import type { StepNote } from '../store/step-notes.ts'
import { expectedResults } from './asked-calls.ts'
import { newChild } from './children.ts'
import { tell } from './finish-run.ts'
import type { GiveUpMessage } from './messages.ts'
import type { Ports } from './ports.ts'

/** Steps of a doer that are stopped at the same time: the gateway has 29 s for all of thousands. */
const AT_ONCE = 16

/**
 * Cancels a run and all beneath it. When it returns, no turn of them is committed and no call is claimed any more; calls that were
 * claimed before go on to their end and are recorded as late. Answers the run as it is then, undefined when there is none.
 */
export async function cancelRun(ports: Ports, runId: string): Promise<Run | undefined> {
  const run = await ports.store.runs.read(runId)
  if (run?.status === 'running')
    await ports.store.runs.end(run, { status: 'cancelled' }, ports.clock.now(), ports.random())
  const ended = run && (await ports.store.runs.read(runId))
  // Also when another cancel stopped midway: what it left is done here.
  if (ended?.status === 'cancelled' && !ended.told) {
    await settleCancel(ports, ended)
    await tell(ports, ended)
  }
  return ended
}

/** The part of a cancel after its first write; repeatable, so that a cancel that stopped midway is brought to its end. */
export async function settleCancel(ports: Ports, run: Run): Promise<void> {
  if (run.kind === 'doer') return stopDoer(ports, run)
  for (;;) {
    const turns = (await ports.store.turns.history(run.id))?.turns ?? []
    const last = turns.at(-1)
    if (last?.state === 'committed') {
      if (last.body.outcome.kind === 'answer') return
      if (last.body.outcome.kind === 'calls') await closeCalls(ports, run, last, last.body.outcome.calls)
    }
    const next = last === undefined ? 1 : last.state === 'committed' ? last.number + 1 : last.number
    // Refused when that turn was committed meanwhile: then its calls are to be closed, too.
    if (await ports.store.turns.entomb(run, next)) return
  }
}

async function closeCalls(ports: Ports, run: Run, turn: Turn, calls: readonly AskedCall[]): Promise<void> {
  await ports.store.calls.close(turnCall(run.id, turn.number, 0), run.expiresAt)
  await Promise.all(
    calls.map(async (call, entry) => {
      if (call.target === undefined || call.target.kind === 'tool') return
      const { kind, childId } = call.target
      const { runId, sk } = turnCall(run.id, turn.number, entry)
      const waiter = { runId, sk, entry, expected: expectedResults(calls) }
      await cancelChild(ports, run, { id: childId, kind, agent: call.name, input: call.input, waiter })
    }),
  )
}

/** A child that was not made yet is made cancelled, so that nobody can begin it. */
async function cancelChild(
  ports: Ports,
  parent: Run,
  child: Pick<Run, 'id' | 'agent' | 'input'> & {
    readonly kind: 'thinker' | 'doer'
    readonly waiter: Waiter
  },
): Promise<void> {
  const made = await ports.store.runs.create(newChild(ports, { ...child, parent, cancelled: true }))
  if (!made) await cancelRun(ports, child.id)
}

/** The run of an agent that does a step of a doer. What the agent was to be given is in the step's record. */
async function cancelAgent(ports: Ports, doer: Run, note: StepNote): Promise<void> {
  const { child, callable: agent, entry } = note
  if (child === undefined) return
  const { runId, sk } = stepCall(doer.id, note)
  const waiter = { runId, sk, entry, expected: 1 }
  await cancelChild(ports, doer, { id: child.runId, kind: child.kind, agent, input: null, waiter })
}

async function stopDoer(ports: Ports, run: Run): Promise<void> {
  await ports.machines.stop(run.agent, run.id)
  await stopSteps(ports, run)
}

/**
 * Cancels what is still done for a doer that is over: agents, and calls, which are closed. A step's child is noted before it is made, and a call is
 * claimed before it is begun, and each looks at the doer's run after the note or the claim: so either it sees the end or it is seen here.
 */
export async function stopSteps(ports: Ports, run: Run): Promise<void> {
  const stop = async (note: StepNote) => {
    if (note.isDone) return
    if (note.child !== undefined) await cancelAgent(ports, run, note)
    else await ports.store.calls.close(stepCall(run.id, note), run.expiresAt)
  }
  await pMap(ports.store.stepNotes(run.id), stop, { concurrency: AT_ONCE })
}

/**
 * Gives up steps of a doer that goes on after a part of it failed. They are closed first, which whoever begins one of them, also in maps and repeats
 * within the part, looks for once it is claimed or noted. Then what was begun before is closed, which a running call notices, and its agents are
 * cancelled.
 */
export async function giveUpSteps(ports: Ports, { runId, steps, indexes }: GiveUpMessage): Promise<void> {
  const run = await ports.store.runs.read(runId)
  if (!run) return
  const places = steps.map((step) => ({ ...step, indexes }))
  const close = (step: Pick<StepNote, 'number' | 'name' | 'indexes'>) =>
    ports.store.calls.close(stepCall(runId, step), run.expiresAt)
  await Promise.all(places.map(close))
  const giveUp = async (note: StepNote) => {
    if (note.indexes.length > indexes.length) await close(note)
    await cancelAgent(ports, run, note)
  }
  for (const { name, ...place } of places) {
    const notes = ports.store.stepNotes(runId, stepCall(runId, { name, ...place }))
    // A name may begin with another's.
    const giveUpOwn = (note: StepNote) => (note.name === name && !note.isDone ? giveUp(note) : undefined)
    await pMap(notes, giveUpOwn, { concurrency: AT_ONCE })
  }
}
