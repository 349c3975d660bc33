import type { RepeatNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import type { Template } from '../asl.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import type { Flow, Sink } from './flow.ts'
import { quoted } from './quoted.ts'

export interface Loop {
  /** The name of the Choice that decides whether to go on. */
  readonly again: string
  /** Where it goes when it does not. */
  readonly leave: string
  /** Code of the count at which it does not. */
  readonly end: string
}

/** The Choice of a loop; `compileInside` writes what it goes on with, and answers its first state. */
export function compileLoop(
  node: RepeatNode,
  flow: Flow,
  { again, leave, end }: Loop,
  compileInside: () => string,
): void {
  // Written first, so that it stands before what it goes on with.
  flow.states.set(again, { Type: 'Choice', Choices: [], Default: leave })
  const start = compileInside()
  const until = flow.writer().code(node.until)
  const { count } = variablesOf(node, flow)
  flow.states.set(again, {
    Type: 'Choice',
    Choices: [{ Condition: embed(`$${count} >= ${end} or ${until}`), Next: leave }],
    Default: start,
  })
}

/** The body once, and then the Choice. */
export function compileBody(node: RepeatNode, flow: Flow, again: string, compileBlock: CompileBlock): string {
  const { state, count, index } = variablesOf(node, flow)
  const inner: Flow = { ...flow, indexes: [...flow.indexes, index] }
  const assign: Readonly<Record<string, Template>> = { [count]: embed(`$${count} + 1`) }
  const sink: Sink = { kind: 'go', next: again, variable: state, assign }
  return compileBlock(node.body, inner, sink, quoted(node.name))
}

export function variablesOf({ id }: RepeatNode, flow: Flow) {
  const index: Root = { kind: 'index', id }
  return { state: flow.variable({ kind: 'state', id }), count: flow.variable(index), index }
}
