import type { RepeatNode } from '../../core/doer-plan.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import type { Flow, Sink } from './flow.ts'

/** A loop: the state and the count are variables, and what they have come to is the result. */
export function compileRepeat(node: RepeatNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const state = flow.variable({ kind: 'state', id: node.id })
  const index = { kind: 'index', id: node.id } as const
  const count = flow.variable(index)
  const again = flow.stateName(`(again "${node.name}")`)
  flow.states.set(node.name, {
    Type: 'Pass',
    Comment: `At most ${node.maximum} times`,
    Assign: { [state]: flow.writer().template(node.from), [count]: 0 },
    Output: {},
    Next: again,
  })
  flow.states.set(again, { Type: 'Choice', Choices: [], Default: next })
  const inner: Flow = { ...flow, indexes: [...flow.indexes, index] }
  const assign = { [count]: embed(`$${count} + 1`) }
  const sink: Sink = { kind: 'go', next: again, variable: state, assign }
  const start = compileBlock(node.body, inner, sink, `"${node.name}"`)
  const until = flow.writer().code(node.until)
  flow.states.set(again, {
    Type: 'Choice',
    Choices: [{ Condition: embed(`$${count} >= ${node.maximum} or ${until}`), Next: next }],
    Default: start,
  })
}
