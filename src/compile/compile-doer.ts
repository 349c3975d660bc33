import type { Doer } from '../core/doer.ts'
import type { Machine } from './asl.ts'
import { catchAll, FAILURE_STATE, FAILURE_STATES, RECORD_FAILURE, RESUME } from './failure.ts'
import { compileBlock } from './flow/compile-block.ts'
import { createFlow, type Flow } from './flow/flow.ts'
import { scopeOf } from './flow/scope.ts'
import { REPORT_RETRY, REPORT_TIMEOUT_SECONDS } from './retry.ts'

const START = '(start)'
const END = '(end)'

/**
 * A doer as a state machine, in JSONata ASL that a person can read in the console: a step's state has the
 * step's name, states that are not steps have names in parentheses. The execution's input is `{ runId, input
 * }`. `renderMachine` makes it one deployment's. Same doer, same bytes. Throws `DefinitionError`.
 */
export function compileDoer(doer: Doer): Machine {
  const flow = createFlow(doer, { caught: FAILURE_STATE, described: RECORD_FAILURE })
  flow.states.set(START, {
    Type: 'Pass',
    Assign: { runId: '{% $states.input.runId %}', input: '{% $states.input.input %}' },
    Output: {},
    Next: compileBlock(doer.plan, flow, { kind: 'go', next: END }, 'the plan'),
  })
  endState(flow)
  for (const [name, state] of Object.entries(FAILURE_STATES)) flow.states.set(name, state)
  const { States } = scopeOf(START, flow)
  const { [START]: start, ...others } = States
  if (start === undefined) throw new Error('A machine has no start')
  return {
    Comment: doer.description,
    QueryLanguage: 'JSONata',
    StartAt: START,
    States: { [START]: start, ...others },
  }
}

function endState({ doer, states, ...flow }: Flow): void {
  const result = flow.writer().template(doer.plan.result)
  states.set(END, {
    Type: 'Task',
    Comment: 'Reports the result',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: { kind: 'end', runId: '{% $runId %}', outcome: { kind: 'completed', output: result } },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: REPORT_RETRY,
    Catch: catchAll(END, 'Internal', FAILURE_STATE, ['States.QueryEvaluationError']),
    // Whoever describes the execution later finds the result here.
    Output: result,
    End: true,
  })
}
