import type { Doer } from '../core/doer.ts'
import type { MapPlan, PlanStep, StepPlan } from '../core/doer-plan.ts'
import { type Expression, type Root, rootsOf } from '../core/expression.ts'
import type { Machine, MapState, State, States, TaskState } from './asl.ts'
import { compileStep, outputOf } from './compile-step.ts'
import { catchAll, FAILURE_STATE, FAILURE_STATES, ITEM_FAILED, RESUME } from './failure.ts'
import { createWriter, embed } from './jsonata.ts'
import { REPORT_RETRY } from './retry.ts'
import { createShapes, type Shape } from './shape.ts'
import { variableOf } from './variable.ts'

/**
 * A doer as a state machine, in JSONata ASL that a person can read in the console: a step's state has the
 * step's name, states that are not steps have names in parentheses. The execution's input is `{ runId, input
 * }`. `renderMachine` makes it one deployment's. Same doer, same bytes. Throws `DefinitionError`.
 */
export function compileDoer(doer: Doer): Machine {
  const context = createContext(doer)
  const { steps } = doer.plan
  const named = steps.map((step, index): readonly [string, State] => {
    const next = steps[index + 1]?.name ?? '(end)'
    return [step.name, step.kind === 'map' ? mapState(step, next, context) : stepState(step, next, context)]
  })
  return {
    Comment: doer.description,
    QueryLanguage: 'JSONata',
    StartAt: '(start)',
    States: {
      '(start)': {
        Type: 'Pass',
        Assign: { runId: '{% $states.input.runId %}', input: '{% $states.input.input %}' },
        Next: steps[0]?.name ?? '(end)',
      },
      ...Object.fromEntries(named),
      '(end)': endState(doer.plan.result, context),
      ...FAILURE_STATES,
    },
  }
}

interface Context {
  readonly doer: Doer
  /** By number, the variable that holds a result; only results that a later state reads have one. */
  readonly variables: ReadonlyMap<number, string>
  readonly shapeOf: (expression: Expression) => Shape
}

function createContext(doer: Doer): Context {
  const { steps, result } = doer.plan
  const read = new Set([...steps.flatMap(expressionsOf), result].flatMap(rootsOf).map(numberOf))
  const all = steps.flatMap((step) => (step.kind === 'map' ? [step, ...step.steps] : [step]))
  const variables = all
    .filter(({ number }) => read.has(number))
    .map((step) => [step.number, variableOf(step)] as const)
  return { doer, variables: new Map(variables), shapeOf: createShapes(doer) }
}

function expressionsOf(step: PlanStep): readonly Expression[] {
  return step.kind === 'step' ? [step.input] : [step.list, ...step.steps.flatMap(expressionsOf), step.result]
}

function numberOf(root: Root): number | undefined {
  return root.kind === 'result' ? root.number : undefined
}

/** Writes for one state; `current` is the step whose own result its output may read. */
function writerFor({ variables, shapeOf }: Context, current?: StepPlan) {
  return createWriter((root) => {
    switch (root.kind) {
      case 'input':
        return '$input'
      case 'item':
        return '$states.input.item'
      case 'index':
        return '$states.input.index'
      case 'result':
        return root.number === current?.number ? outputOf(current) : `$${variables.get(root.number)}`
    }
  }, shapeOf)
}

function stepState(step: StepPlan, next: string, context: Context): TaskState {
  const input = writerFor(context).template(step.input)
  const output = embed(outputOf(step))
  return {
    ...compileStep(step, { doer: context.doer.name, input, onFailure: FAILURE_STATE }),
    ...assign(step, output, context),
    Output: output,
    Next: next,
  }
}

function assign({ number }: PlanStep, value: string, { variables }: Context) {
  const variable = variables.get(number)
  return variable === undefined ? {} : { Assign: { [variable]: value } }
}

function mapState(map: MapPlan, next: string, context: Context): MapState {
  return {
    Type: 'Map',
    Comment: `Step ${map.number}: for each item`,
    Items: writerFor(context).template(map.list),
    ItemSelector: {
      item: '{% $states.context.Map.Item.Value %}',
      index: '{% $states.context.Map.Item.Index %}',
    },
    MaxConcurrency: map.concurrency,
    ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...itemStates(map, context) },
    Catch: catchAll(map.name, 'Internal', FAILURE_STATE),
    ...assign(map, '{% $states.result %}', context),
    Next: next,
  }
}

/**
 * The states of one item. Their input, `{ item, index }`, is passed on from each to the next; the last one
 * puts out the item's result.
 */
function itemStates(map: MapPlan, context: Context): States {
  const failed = `(item of step ${map.number} failed)`
  const last = map.steps.at(-1)
  if (last === undefined) {
    const name = `(item of step ${map.number})`
    const Output = writerFor(context).template(map.result)
    return { StartAt: name, States: { [name]: { Type: 'Pass', Output, End: true } } }
  }
  const named = map.steps.map((step, index): readonly [string, State] => {
    const input = writerFor(context).template(step.input)
    const surroundings = {
      doer: context.doer.name,
      input,
      index: '{% $states.input.index %}',
      onFailure: failed,
    }
    const task = compileStep(step, surroundings)
    const next = map.steps[index + 1]
    if (next === undefined)
      return [step.name, { ...task, Output: writerFor(context, step).template(map.result), End: true }]
    const kept = assign(step, embed(outputOf(step)), context)
    return [step.name, { ...task, ...kept, Output: '{% $states.input %}', Next: next.name }]
  })
  return {
    StartAt: map.steps[0]?.name ?? last.name,
    States: { ...Object.fromEntries(named), [failed]: ITEM_FAILED },
  }
}

function endState(result: Expression, context: Context): TaskState {
  const write = writerFor(context)
  return {
    Type: 'Task',
    Comment: 'Reports the result',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: RESUME,
      Payload: {
        kind: 'end',
        runId: '{% $runId %}',
        outcome: { kind: 'completed', output: write.template(result) },
      },
    },
    Retry: REPORT_RETRY,
    Catch: catchAll('(end)', 'Internal', FAILURE_STATE, ['States.QueryEvaluationError']),
    // Whoever describes the execution later finds the result here.
    Output: write.template(result),
    End: true,
  }
}
