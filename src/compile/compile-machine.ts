import type { Analysis } from './analysis.ts'
import type { Machine } from './asl.ts'
import { catchAll, FAILURE_STATE, FAILURE_STATES, RECORD_FAILURE, RESUME } from './failure.ts'
import { compileBlock } from './flow/compile-block.ts'
import { createFlow, type Flow, RUN_ID, runIdIn, writeAt } from './flow/flow.ts'
import { scopeOf } from './flow/scope.ts'
import type { Split } from './flow/split.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from './retry.ts'
import type { Bounds } from './worst-case/bounds.ts'

const START = '(start)'
const END = '(end)'

/** A machine, and what it does not say of itself. */
export interface CompiledMachine {
  readonly machine: Machine
  readonly bounds: Bounds
}

/** A doer as a state machine that runs so much of it in executions of their own. Throws `DefinitionError`. */
export function compileMachine(analysis: Analysis, split: Split): CompiledMachine {
  const { doer } = analysis
  const flow = createFlow(analysis, { caught: FAILURE_STATE, described: RECORD_FAILURE }, split)
  flow.states.set(START, {
    Type: 'Pass',
    Assign: { [RUN_ID]: '{% $states.input.runId %}', input: '{% $states.input.input %}' },
    Output: {},
    Next: compileBlock(doer.plan, flow, { kind: 'go', next: END }, 'the plan'),
  })
  endState(flow)
  for (const [name, state] of Object.entries(FAILURE_STATES)) flow.states.set(name, state)
  const { States } = scopeOf(START, flow)
  const { [START]: start, ...others } = States
  if (start === undefined) throw new Error('A machine has no start')
  const machine: Machine = {
    Comment: doer.description,
    QueryLanguage: 'JSONata',
    StartAt: START,
    States: { [START]: start, ...others },
  }
  return { machine, bounds: { loops: flow.loops, lists: flow.lists } }
}

function endState(flow: Flow): void {
  const { doer, states } = flow
  const result = writeAt(flow, 'the result', () => flow.writer().template(doer.plan.result))
  states.set(END, {
    Type: 'Task',
    Comment: 'Reports the result',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: { kind: 'end', runId: runIdIn(flow), outcome: { kind: 'completed', output: result } },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    Catch: catchAll(END, 'Internal', FAILURE_STATE, ['States.QueryEvaluationError']),
    // Whoever describes the execution later finds the result here.
    Output: result,
    End: true,
  })
}
