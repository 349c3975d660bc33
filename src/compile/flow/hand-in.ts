import { type Block, expressionsOf, nodesOf } from '../../core/doer-plan.ts'
import { type Expression, rootsOf } from '../../core/expression.ts'
import type { PassState, Template } from '../asl.ts'
import { embed } from '../jsonata.ts'
import { blocksIn, type Flow, saysPlace } from './flow.ts'

/**
 * What an execution of its own is given, by the variable that holds it there: Step Functions lets the states in a
 * distributed Map read no variable of the scope around it ("Distributed Map states cannot currently reference variables
 * in outer scopes", Step Functions Developer Guide, "Passing data between states with variables").
 */
export type HandedIn = Readonly<Record<string, Template>>

/** The variables that a block, and what else is named, read of the scope around it. */
export function handIn(
  block: Block,
  flow: Flow,
  /** `tellsPlace`: it says which run and which item it is, also where nothing in the block does. */
  {
    others = [],
    tellsPlace = false,
  }: { readonly others?: readonly Expression[]; readonly tellsPlace?: boolean },
): HandedIn {
  const own = new Set(nodesOf(block).map(({ id }) => id))
  const needsPlace = tellsPlace || saysPlace(block, flow)
  const read = [...readBy(block), ...others].flatMap(rootsOf)
  const roots = [...(needsPlace ? flow.indexes : []), ...read].filter(
    (root) => root.kind === 'input' || !own.has(root.id),
  )
  const names = [...(needsPlace ? ['runId'] : []), ...roots.map((root) => flow.variable(root))]
  return Object.fromEntries(names.map((name) => [name, embed(`$${name}`)]))
}

/** Its first state: what was handed in becomes variables again. */
export function takeOver(handedIn: HandedIn, next: string): PassState {
  const assign = Object.keys(handedIn).map((name) => [name, embed(`$states.input.${name}`)])
  return { Type: 'Pass', Assign: Object.fromEntries(assign), Output: {}, Next: next }
}

function readBy(block: Block): readonly Expression[] {
  return [...nodesOf(block).flatMap(expressionsOf), ...blocksIn(block).map(({ result }) => result)]
}
