import type { ParallelNode } from '../../core/doer-plan.ts'
import { catchAll, DESCRIBED, describedFail, ITEM_FAILED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { FIRST_FAILURE, failWithFirst } from './first-failure.ts'
import { type Flow, innerFailure, innerFlow, keep } from './flow.ts'
import { quoted } from './quoted.ts'
import { scopeOf } from './scope.ts'

/** A Parallel whose branches are flows of their own. */
export function compileParallel(
  node: ParallelNode,
  flow: Flow,
  next: string,
  compileBlock: CompileBlock,
): void {
  const branches = Object.entries(node.branches)
  const finishes = node.onFailure === 'finish'
  const results = branches.map(([label], index) => {
    const output = `$states.result[${index}]`
    return [label, embed(finishes ? `$exists(${output}.error) ? null : ${output}.value` : output)]
  })
  const which = flow.stateName(`(first failure of ${quoted(node.name)})`)
  flow.states.set(node.name, {
    Type: 'Parallel',
    Comment: 'At the same time',
    Branches: branches.map(([label, block]) => {
      const place = `${quoted(label)} of ${quoted(node.name)}`
      const failure = innerFailure(flow, place)
      const inner = innerFlow(flow, failure)
      const start = finishes
        ? compileBlock(block, inner, { kind: 'end', output: (result) => ({ value: result }) }, place)
        : compileBlock(block, inner, { kind: 'end', output: (result) => result }, place)
      setFailures(inner, finishes)
      return scopeOf(start, inner)
    }),
    Catch: catchAll(node.name, 'Internal', flow.failure.caught),
    ...keep(flow, node, Object.fromEntries(results)),
    ...(finishes ? { Output: FIRST_FAILURE, Next: which } : { Output: {}, Next: next }),
  })
  if (finishes) failWithFirst(node.name, flow, which, next)
}

/** Where the others finish, a branch that failed is not the end of the state: its failure is its output. */
function setFailures({ states, failure }: Flow, finishes: boolean): void {
  states.set(
    failure.caught,
    finishes ? { Type: 'Pass', Output: { error: DESCRIBED }, End: true } : ITEM_FAILED,
  )
  states.set(
    failure.described,
    finishes ? { Type: 'Pass', Output: { error: '{% $states.input %}' }, End: true } : describedFail,
  )
}
