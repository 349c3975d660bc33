import type { State, States } from '../../../src/compile/asl.ts'
import type { Bounds } from '../../../src/compile/worst-case/bounds.ts'
import { EvaluationError } from '../../../src/local/step-functions/expressions/evaluate.ts'
import type { Thread, Work } from '../../../src/local/step-functions/interpreter/execution.ts'
import type { Signal } from '../../../src/local/step-functions/interpreter/handle-signal.ts'
import { type Interpreted, interpret } from './interpret.ts'

/** From 0 to below 1. */
export type Dice = () => number

const LEAVES_LOOP = 0.05
const FAILS_IN_EXPRESSION = 0.02
const TASK_FAILS = 0.3

/**
 * Takes any way through states that their bounds allow, as dice fall: whose turn it is, which branch, how many items, which
 * error of which task, which expression fails.
 */
export function wander(scope: States, bounds: Bounds, dice: Dice): Promise<Interpreted> {
  const states = new Map(statesIn(scope))
  /** By line and loop, how often it went on. */
  const gone = new Map<string, number>()
  const oneOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(dice() * all.length)]
  const goesOn = (thread: Thread, name: string): boolean => {
    const key = `${thread.id} ${name}`
    const times = gone.get(key) ?? 0
    const isOver = times >= (bounds.loops.get(name)?.times ?? 0) || dice() < LEAVES_LOOP
    gone.set(key, isOver ? 0 : times + 1)
    return !isOver
  }
  const enter = (thread: Thread): void => {
    for (const [name, { entry }] of bounds.loops)
      if (entry === thread.stateName) gone.set(`${thread.id} ${name}`, 0)
  }

  return interpret(scope, {
    next({ threads }) {
      const thread = oneOf([...threads.values()].filter(canMove))
      if (thread === undefined) throw new Error('Nothing can move')
      const state = states.get(thread.stateName)
      return { thread, signal: signalFor(thread, () => outcomeOf(state, dice, oneOf)) }
    },
    evaluate(thread, location) {
      const { stateName } = thread
      enter(thread)
      if (!/^(Catch|ItemSelector)/.test(location) && dice() < FAILS_IN_EXPRESSION)
        throw new EvaluationError(location, 'cannot be evaluated, as the dice have it')
      if (location.endsWith('/Condition'))
        return bounds.loops.has(stateName) ? !goesOn(thread, stateName) : dice() < 0.5
      if (location === 'Items') return itemsOf(states.get(stateName), bounds.lists.get(stateName)?.most, dice)
      if (location === 'Seconds') return 1
      if (location === 'Error' || location === 'Cause') return 'as the dice have it'
      return location === 'Arguments' ? { FunctionName: 'function', Payload: {} } : {}
    },
  })
}

const statesIn = ({ States }: States): readonly (readonly [string, State])[] =>
  Object.entries(States).flatMap(([name, state]) => {
    const inside =
      state.Type === 'Map' ? [state.ItemProcessor] : state.Type === 'Parallel' ? state.Branches : []
    return [[name, state] as const, ...inside.flatMap(statesIn)]
  })

const canMove = ({ phase, isQuiet }: Thread): boolean =>
  !isQuiet && ['ready', 'waiting', 'retrying', 'working'].includes(phase.kind)

/** As many as there may be, mostly; a distributed Map's leave no events. */
function itemsOf(state: State | undefined, most = 0, dice: Dice): readonly unknown[] {
  const isInline = state?.Type === 'Map' && state.ItemProcessor.ProcessorConfig.Mode === 'INLINE'
  const length = dice() < 0.8 ? most : Math.floor(dice() * (most + 1))
  return Array.from({ length: isInline ? length : 0 }, () => 0)
}

/** The name of an error, or that a task succeeds. */
function outcomeOf(
  state: State | undefined,
  dice: Dice,
  oneOf: (all: readonly string[]) => string | undefined,
): string | undefined {
  if (state?.Type !== 'Task' || dice() > TASK_FAILS) return undefined
  const names = state.Retry.flatMap(({ ErrorEquals }) => ErrorEquals.slice(0, 1))
  return oneOf([...names, ...names, ...names, 'Other.Error'].filter((name) => name !== 'States.ALL'))
}

function signalFor({ id: threadId, phase }: Thread, outcome: () => string | undefined): Signal {
  if (phase.kind === 'ready') return { kind: 'advance', threadId }
  return phase.kind === 'working'
    ? taskSignal(threadId, phase.work, outcome())
    : { kind: 'time-passed', threadId }
}

function taskSignal(
  threadId: number,
  { attemptId, token, submitted }: Work,
  error: string | undefined,
): Signal {
  const failure = { error, cause: 'as the dice have it' }
  if (token !== undefined && submitted)
    return error === undefined
      ? { kind: 'token-succeeded', threadId, token, output: { value: {}, text: '{}' } }
      : { kind: 'token-failed', threadId, token, failure }
  return error === undefined || token !== undefined
    ? { kind: 'invoked', threadId, attemptId, outcome: { kind: 'succeeded', result: {} } }
    : { kind: 'invoked', threadId, attemptId, outcome: { kind: 'failed', by: 'work', failure } }
}

/** The same states with tasks that are tried once: with every retry, dice would never come near the worst. */
export function withoutRetries({ StartAt, States }: States): States {
  const states = Object.entries(States).map(([name, state]) => [name, triedOnce(state)])
  return { StartAt, States: Object.fromEntries(states) }
}

function triedOnce(state: State): State {
  if (state.Type === 'Task') return { ...state, Retry: [] }
  if (state.Type === 'Parallel') return { ...state, Branches: state.Branches.map(withoutRetries) }
  if (state.Type !== 'Map') return state
  const { ProcessorConfig } = state.ItemProcessor
  return { ...state, ItemProcessor: { ProcessorConfig, ...withoutRetries(state.ItemProcessor) } }
}
