import type { RepeatNode } from '../../core/doer-plan.ts'
import type { CompileBlock } from './compile-block.ts'
import type { Flow } from './flow.ts'
import { compileBody, compileLoop, variablesOf } from './loop.ts'
import { quoted } from './quoted.ts'
import { compileStretch } from './split-repeat.ts'

/** A loop: the state and the count are variables, and what they have come to is the result. */
export function compileRepeat(node: RepeatNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const { state, count } = variablesOf(node, flow)
  const again = flow.stateName(`(again ${quoted(node.name)})`)
  const times = flow.split.get(node.id)
  flow.states.set(node.name, {
    Type: 'Pass',
    Comment: `At most ${node.maximum} times`,
    Assign: { [state]: flow.writer().template(node.from), [count]: 0 },
    Output: {},
    Next: again,
  })
  flow.loops.set(again, {
    times: Math.ceil(node.maximum / (times ?? 1)),
    entry: node.name,
    id: node.id,
    kind: times === undefined ? 'whole' : 'stretches',
  })
  compileLoop(node, flow, { again, leave: next, end: `${node.maximum}` }, () =>
    times === undefined
      ? compileBody(node, flow, again, compileBlock)
      : compileStretch(node, flow, { times, next: again }, compileBlock),
  )
}
