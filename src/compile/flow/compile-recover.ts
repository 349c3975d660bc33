import type { RecoverNode } from '../../core/doer-plan.ts'
import { DESCRIBED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Flow, sinkOf } from './flow.ts'
import { giveUp } from './give-up.ts'
import { quoted } from './quoted.ts'

/** The body's states with their failures led to a choice: to the handler, or on to where failures of the flow go. */
export function compileRecover(
  node: RecoverNode,
  flow: Flow,
  next: string,
  compileBlock: CompileBlock,
): void {
  const failure = { kind: 'failure', id: node.id } as const
  const sink = sinkOf(flow, node, next)
  const inner: Flow = {
    ...flow,
    failure: {
      caught: flow.stateName(`(failure of ${quoted(node.name)})`),
      described: flow.stateName(`(which failure of ${quoted(node.name)})`),
    },
  }
  compileBlock(node.body, inner, sink, quoted(node.name))
  const start = compileBlock(node.handler, flow, sink, `the handler of ${quoted(node.name)}`)
  const givenUp = giveUp(node.body, flow, quoted(node.name), start)
  flow.states.set(inner.failure.caught, { Type: 'Pass', Output: DESCRIBED, Next: inner.failure.described })
  flow.states.set(inner.failure.described, {
    Type: 'Choice',
    Choices: [
      {
        Condition: embed(`$states.input.name in ${JSON.stringify(node.on)}`),
        ...(flow.isRead(failure) ? { Assign: { [flow.variable(failure)]: '{% $states.input %}' } } : {}),
        Next: givenUp,
      },
    ],
    Default: flow.failure.described,
  })
}
