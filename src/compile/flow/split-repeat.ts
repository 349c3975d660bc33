import type { RepeatNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import type { Template } from '../asl.ts'
import { catchAll, DESCRIBED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Flow, handedInFlow, innerFailure, innerFlow } from './flow.ts'
import { type HandedIn, handIn, type Needs, needsOf, takeOver } from './hand-in.ts'
import { compileBody, compileLoop, variablesOf } from './loop.ts'
import { quoted } from './quoted.ts'
import { scopeOf } from './scope.ts'

export interface Stretch {
  /** How often the body runs in one. */
  readonly times: number
  /** The state after it. */
  readonly next: string
}

/**
 * Some times of a repeat as an execution of its own: a distributed Map of one item, which gives back the state and the
 * count, or the failure. A long repeat so hands over to a fresh history, and needs no second machine. Answers its first
 * state.
 */
export function compileStretch(
  node: RepeatNode,
  flow: Flow,
  { times, next }: Stretch,
  compileBlock: CompileBlock,
): string {
  const { state, count } = variablesOf(node, flow)
  const stretch = flow.stateName(`(stretch of ${quoted(node.name)})`)
  const went = flow.stateName(`(how ${quoted(node.name)} went)`)
  const { handedIn, states } = stretchOf(node, flow, times, compileBlock)
  flow.lists.set(stretch, { most: 1, id: node.id })
  flow.states.set(stretch, {
    Type: 'Map',
    Comment: `${times} times, in an execution of its own`,
    Items: [0],
    ItemSelector: handedIn,
    MaxConcurrency: 1,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      ...states,
    },
    Catch: catchAll(node.name, 'Internal', flow.failure.caught),
    Output: embed('$states.result[0]'),
    Next: went,
  })
  flow.states.set(went, {
    Type: 'Choice',
    Choices: [
      {
        Condition: embed('$states.input.ok = false'),
        Output: embed('$states.input.error'),
        Next: flow.failure.described,
      },
    ],
    Assign: { [state]: embed('$states.input.state'), [count]: embed('$states.input.count') },
    Output: {},
    Default: next,
  })
  return stretch
}

/** The variable for the count at which a stretch ends. */
const endOf = (state: string): string => `end_of_${state}`

/** What the execution is given, and its states. */
function stretchOf(node: RepeatNode, flow: Flow, times: number, compileBlock: CompileBlock) {
  const place = `a stretch of ${quoted(node.name)}`
  const failure = innerFailure(flow, place)
  const own: readonly Root[] = [
    { kind: 'state', id: node.id },
    { kind: 'index', id: node.id },
  ]
  const { roots, tellsRun } = needsOf(node, flow, { others: [node.until] })
  const needs: Needs = { tellsRun, roots: [...roots, ...own] }
  const inner = handedInFlow(innerFlow(flow, failure), needs.roots)
  const { state, count } = variablesOf(node, inner)
  const handedIn: HandedIn = {
    ...handIn(needs, flow, inner),
    [endOf(state)]: embed(`$min([$${variablesOf(node, flow).count} + ${times}, ${node.maximum}])`),
  }
  const start = flow.stateName(`(start of ${place})`)
  const again = flow.stateName(`(again in ${place})`)
  const end = flow.stateName(`(end of ${place})`)
  inner.states.set(start, takeOver(handedIn, again))
  flow.loops.set(again, { times, entry: start, id: node.id, kind: 'stretch' })
  compileLoop(node, inner, { again, leave: end, end: `$${endOf(state)}` }, () =>
    compileBody(node, inner, again, compileBlock),
  )
  const failed = (error: Template): Template => ({ ok: false, error })
  inner.states.set(end, {
    Type: 'Pass',
    Output: { ok: true, state: embed(`$${state}`), count: embed(`$${count}`) },
    End: true,
  })
  inner.states.set(failure.caught, { Type: 'Pass', Output: failed(DESCRIBED), End: true })
  inner.states.set(failure.described, { Type: 'Pass', Output: failed('{% $states.input %}'), End: true })
  return { handedIn, states: scopeOf(start, inner) }
}
