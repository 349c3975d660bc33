import type { Block, ChooseNode } from '../../core/doer-plan.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Flow, sinkOf } from './flow.ts'
import { quoted } from './quoted.ts'

/** A Choice whose branches come together behind it, each with its result in the same variable. */
export function compileChoose(node: ChooseNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const sink = sinkOf(flow, node, next)
  const blockOf = (label: string, block: Block) => () =>
    compileBlock(block, flow, sink, `${quoted(label)} of ${quoted(node.name)}`)
  const nobody = flow.stateName(`(no branch of ${quoted(node.name)})`)
  const cases = node.branches.map(({ label, when, block }) => ({ when, compile: blockOf(label, block) }))
  const otherwise = node.otherwise === undefined ? undefined : blockOf('otherwise', node.otherwise)
  // Written first, so that it stands before its branches.
  flow.states.set(node.name, { Type: 'Choice', Choices: [], Default: nobody })
  const Choices = cases.map(({ when, compile }) => ({
    Condition: embed(flow.writer().code(when)),
    Next: compile(),
  }))
  flow.states.set(node.name, { Type: 'Choice', Choices, Default: otherwise?.() ?? nobody })
  if (otherwise === undefined)
    flow.states.set(nobody, {
      Type: 'Pass',
      Output: { name: 'Internal', message: `step "${node.name}": no branch is for this value` },
      Next: flow.failure.described,
    })
}
