import type { ParallelNode } from '../../core/doer-plan.ts'
import { catchAll, describedFail, ITEM_FAILED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Flow, innerFailure, innerFlow, keep } from './flow.ts'
import { scopeOf } from './scope.ts'

/** A Parallel whose branches are flows of their own. */
export function compileParallel(
  node: ParallelNode,
  flow: Flow,
  next: string,
  compileBlock: CompileBlock,
): void {
  const branches = Object.entries(node.branches)
  const results = branches.map(([label], index) => [label, embed(`$states.result[${index}]`)])
  flow.states.set(node.name, {
    Type: 'Parallel',
    Comment: 'At the same time',
    Branches: branches.map(([label, block]) => {
      const place = `"${label}" of "${node.name}"`
      const failure = innerFailure(flow, place)
      const inner = innerFlow(flow, failure)
      const start = compileBlock(block, inner, { kind: 'end', output: (result) => result }, place)
      inner.states.set(failure.caught, ITEM_FAILED)
      inner.states.set(failure.described, describedFail)
      return scopeOf(start, inner)
    }),
    Catch: catchAll(node.name, 'Internal', flow.failure.caught),
    ...keep(flow, node, Object.fromEntries(results)),
    Output: {},
    Next: next,
  })
}
