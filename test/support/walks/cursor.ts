import type { State, States } from '../../../src/compile/asl.ts'
import type { Branch, Path, StateVisit } from '../../../src/compile/worst-case/walk.ts'
import type { Thread, Work } from '../../../src/local/step-functions/interpreter/execution.ts'
import type { Signal } from '../../../src/local/step-functions/interpreter/handle-signal.ts'
import { type Attempt, attemptsOf } from './attempts.ts'

/** The state that a line of states is in, as the walk has it. */
export interface Place {
  readonly state: State
  readonly visit: StateVisit
  /** Of a task: how the attempt that is under way ends. */
  readonly attempt: Attempt
}

/** Where a line of states is on its walk. */
export interface Cursor {
  /** Whether the walk takes the thread further from where it is. */
  canMove(thread: Thread): boolean
  /** The signal that takes it further. Throws where the machine is not where the walk is. */
  move(thread: Thread): Signal
  /** Whether the next state of the walk is the one in which it fails. */
  isAboutToFail(thread: Thread): boolean
  place(): Place
}

export function createCursor({ States }: States, path: Path | undefined): Cursor {
  const visits = visitsIn(path)
  let ahead = visits.next()
  let attempts: readonly Attempt[] = []
  let here: Omit<Place, 'attempt'> | undefined

  const attempt = (): Attempt => attempts[0] ?? 'succeeds'
  function enter({ stateName }: Thread): void {
    const visit = ahead.value
    const state = States[stateName]
    if (visit === undefined || state === undefined || visit.state !== stateName)
      throw new Error(`The walk is at "${visit?.state}", and the machine at "${stateName}"`)
    here = { state, visit }
    attempts = state.Type === 'Task' ? attemptsOf(state, visit) : []
    ahead = visits.next()
  }

  return {
    canMove: ({ phase }) => {
      if (phase.kind === 'ready') return ahead.done !== true
      if (phase.kind === 'waiting') return here?.visit.how.kind !== 'interrupted'
      if (phase.kind !== 'working') return phase.kind === 'retrying'
      return attempt() !== 'hangs' || (phase.work.token !== undefined && !phase.work.submitted)
    },
    move(thread) {
      const { id: threadId, phase } = thread
      if (phase.kind === 'working') return signalOf(threadId, phase.work, attempt())
      if (phase.kind === 'retrying') attempts = attempts.slice(1)
      if (phase.kind !== 'ready') return { kind: 'time-passed', threadId }
      enter(thread)
      return { kind: 'advance', threadId }
    },
    isAboutToFail: ({ phase }) => phase.kind === 'ready' && ahead.value?.how.kind === 'failed',
    place() {
      if (here === undefined) throw new Error('The walk has not begun')
      return { ...here, attempt: attempt() }
    },
  }
}

/** What iteration or branch a place has at an index. */
export function branchAt({ visit }: Place, index: number): Branch | undefined {
  let before = 0
  return visit.branches.find(({ count }) => {
    before += count
    return index < before
  })
}

function* visitsIn(path: Path | undefined): Generator<StateVisit, undefined> {
  for (let at = path; at !== undefined; at = at.rest)
    if (at.visit.kind === 'state') yield at.visit
    else for (let time = 0; time < at.visit.times; time++) yield* visitsIn(at.visit.once)
  return undefined
}

/** A task that waits for its token is first submitted. */
function signalOf(threadId: number, { attemptId, token, submitted }: Work, attempt: Attempt): Signal {
  const failure =
    typeof attempt === 'object' ? { error: attempt.error, cause: 'as the walk has it' } : undefined
  if (token !== undefined && submitted)
    return failure === undefined
      ? { kind: 'token-succeeded', threadId, token, output: { value: {}, text: '{}' } }
      : { kind: 'token-failed', threadId, token, failure }
  return failure === undefined || token !== undefined
    ? { kind: 'invoked', threadId, attemptId, outcome: { kind: 'succeeded', result: {} } }
    : { kind: 'invoked', threadId, attemptId, outcome: { kind: 'failed', by: 'work', failure } }
}
