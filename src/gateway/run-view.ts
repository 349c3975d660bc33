import type { Failure, FailureName } from '../core/errors.ts'
import type { CallEntry, LateResult, Question, Run, StepRecord, Turn } from '../store/records.ts'
import type { RunHistory } from '../store/turns.ts'

/** How far something has come. `waiting`: asked for; a read-only call that runs looks the same, since it is written only once. `lost` is a call whose run ended, or whose doer went on without it, before its result came. */
type Progress = 'waiting' | 'running' | 'completed' | 'failed' | 'lost'

export interface CallView {
  readonly name: string
  readonly input: unknown
  readonly status: Progress
  readonly output?: unknown
  readonly error?: Failure
  readonly startedAt?: string
  readonly endedAt?: string
  /** What came of it when nobody waited for it any more. It is in the record alone: the run went on without it. */
  readonly late?: {
    readonly status: 'completed' | 'failed'
    readonly error?: FailureName
    readonly endedAt: string
  }
  /** The run of an agent that was called. */
  readonly run?: string
}
export interface TurnView {
  readonly number: number
  readonly startedAt?: string
  readonly endedAt?: string
  readonly model?: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
  /** `asking`: the model has not answered yet; `failed`: it could not be asked, and the run's error says why. */
  readonly outcome: 'asking' | 'failed' | 'calls' | 'answer' | 'correction' | 'wait' | 'cancelled'
  /** Times that this turn was begun; more than 1 after its function died. */
  readonly attempt?: number
  readonly text?: string
  readonly correction?: string
  readonly waitUntil?: string
  readonly error?: Failure
  readonly calls?: readonly CallView[]
}
export interface StepView extends CallView {
  readonly number: number
  readonly step: string
  /** Which item, or which time, of each map and repeat around it, from 0. */
  readonly indexes?: readonly number[]
  /** Of a question to a person: until when it can be answered. */
  readonly answerBy?: string
  /** Times that it was tried; the rest tells of the last. */
  readonly attempts?: number
}

/** A run as `GET /runs/:id` shows it; times are ISO 8601, UTC. */
export interface RunView {
  readonly id: string
  readonly kind: Run['kind']
  readonly agent: string
  readonly status: Run['status']
  readonly createdAt: string
  readonly endedAt?: string
  readonly input: unknown
  readonly answer?: unknown
  readonly error?: Failure
  readonly turns: readonly TurnView[]
  readonly steps: readonly StepView[]
}

/** `now`, in milliseconds, decides whether a question can still be answered. */
export function viewRun({ run, turns, steps }: RunHistory, now: number): RunView {
  return {
    id: run.id,
    kind: run.kind,
    agent: run.agent,
    status: run.status,
    createdAt: toTime(run.createdAt),
    ...(run.status !== 'running' && { endedAt: toTime(run.endedAt) }),
    input: run.input,
    ...(run.status === 'completed' && { answer: run.output }),
    ...(run.status === 'exhausted' && { answer: null }),
    ...(run.status === 'failed' && { error: run.error }),
    turns: turns.map((turn) => viewTurn(turn, run)),
    steps: steps.map((step) => viewStep(step, run, now)).toSorted(inOrder),
  }
}

function viewTurn(turn: Turn, run: Run): TurnView {
  const { number } = turn
  switch (turn.state) {
    case 'tombstone':
      return { number, outcome: 'cancelled' }
    case 'leased': {
      const { startedAt, attempt } = turn.lease
      const outcome = run.status === 'running' ? 'asking' : 'failed'
      return { number, outcome, startedAt: toTime(startedAt), ...(attempt > 1 && { attempt }) }
    }
    case 'committed': {
      const { startedAt, endedAt, model, usage, outcome } = turn.body
      const common = {
        number,
        startedAt: toTime(startedAt),
        endedAt: toTime(endedAt),
        ...(model !== undefined && { model }),
        ...(usage && { usage }),
        outcome: outcome.kind,
      }
      switch (outcome.kind) {
        case 'answer':
          return { ...common, text: outcome.text }
        case 'correction':
          return { ...common, text: outcome.text, correction: outcome.correction }
        case 'wait':
          return { ...common, waitUntil: toTime(outcome.until), error: outcome.failure }
        case 'calls':
          return {
            ...common,
            ...(outcome.text !== '' && { text: outcome.text }),
            calls: outcome.calls.map(({ name, input, target, answered }, index) => ({
              name,
              input,
              ...(target && target.kind !== 'tool' && { run: target.childId }),
              ...(answered
                ? { status: 'failed' as const, error: answered }
                : viewEntry(turn.results.entry(index), run.status !== 'running')),
            })),
          }
      }
    }
  }
}

function viewStep(
  { number, name, indexes, callable, input, startedAt, attempts, entry, closed }: StepRecord,
  run: Run,
  now: number,
): StepView {
  const seen = viewEntry(entry, closed || run.status !== 'running')
  return {
    number,
    step: name,
    ...(indexes.length > 0 && { indexes }),
    name: callable,
    input,
    ...(entry.child !== undefined && { run: entry.child.runId }),
    startedAt: toTime(startedAt),
    ...seen,
    ...(attempts > 1 && { attempts, startedAt: toTime(startedAt) }),
    // A child that was begun and has not ended.
    ...(seen.status === 'waiting' && entry.child && { status: 'running' as const }),
    ...(entry.question &&
      viewQuestion(entry.question, seen.status, run.status === 'running' ? now : run.endedAt)),
  }
}

function viewQuestion(
  { deadline }: Question,
  status: Progress,
  /** How long an answer could be given. */
  until: number,
): Pick<StepView, 'answerBy' | 'status' | 'error'> {
  const answerBy = toTime(deadline)
  const isAnswered = status === 'completed' || status === 'failed'
  if (isAnswered || until < deadline) return { answerBy, status }
  return { answerBy, status: 'failed', error: { name: 'Timeout', message: 'Nobody answered in time' } }
}

function viewEntry(
  { result, claim, late }: CallEntry,
  isOver: boolean,
): Pick<CallView, 'status' | 'output' | 'error' | 'startedAt' | 'endedAt' | 'late'> {
  const told = late && { late: viewLate(late) }
  if (result) {
    const times = { startedAt: toTime(result.startedAt), endedAt: toTime(result.endedAt), ...told }
    return result.ok
      ? { status: 'completed', output: result.value, ...times }
      : { status: 'failed', error: result.failure, ...times }
  }
  if (!claim) return { status: isOver ? 'lost' : 'waiting', ...told }
  return { status: isOver ? 'lost' : 'running', startedAt: toTime(claim.claimedAt), ...told }
}

const viewLate = ({ ok, failure, endedAt }: LateResult): NonNullable<CallView['late']> => ({
  status: ok ? 'completed' : 'failed',
  ...(failure !== undefined && { error: failure }),
  endedAt: toTime(endedAt),
})

/** By number; of one number by item after item, and then as the steps are named. */
const inOrder = (a: StepView, b: StepView): number =>
  a.number - b.number ||
  compareIndexes(a.indexes ?? [], b.indexes ?? []) ||
  a.step.localeCompare(b.step, 'en')

function compareIndexes(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((index, depth) => index !== b[depth])
  return differs === -1 ? a.length - b.length : (a[differs] ?? 0) - (b[differs] ?? 0)
}

const toTime = (ms: number): string => new Date(ms).toISOString()
