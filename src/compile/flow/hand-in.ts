import { type Block, expressionsOf, nodesOf } from '../../core/doer-plan.ts'
import { type Expression, type Root, rootsOf } from '../../core/expression.ts'
import type { PassState, Template } from '../asl.ts'
import { embed } from '../jsonata.ts'
import { blocksIn, type Flow, runIdIn, saysPlace } from './flow.ts'

/**
 * What an execution of its own is given, by the variable that holds it there: Step Functions lets the states in a
 * distributed Map read no variable of the scope around it ("Distributed Map states cannot currently reference variables
 * in outer scopes", Step Functions Developer Guide, "Passing data between states with variables").
 */
export type HandedIn = Readonly<Record<string, Template>>

/** What an execution of its own has to be given: what these roots are, and which run it is. */
export interface Needs {
  readonly roots: readonly Root[]
  readonly tellsRun: boolean
}

/** What a block, and what else is named, read of the scope around it. */
export function needsOf(
  block: Block,
  flow: Flow,
  /** `tellsPlace`: it says which run and which item it is, also where nothing in the block does. */
  {
    others = [],
    tellsPlace = false,
  }: { readonly others?: readonly Expression[]; readonly tellsPlace?: boolean },
): Needs {
  const tellsRun = tellsPlace || saysPlace(block, flow)
  return { tellsRun, roots: unique([...(tellsRun ? flow.indexes : []), ...rootsAround(block, others)]) }
}

/** Hands them in from the variables of one flow for those of another. */
export function handIn({ roots, tellsRun }: Needs, from: Flow, to: Flow): HandedIn {
  return {
    ...(tellsRun && { [to.runId]: runIdIn(from) }),
    ...Object.fromEntries(roots.map((root) => [to.variable(root), embed(`$${from.variable(root)}`)])),
  }
}

/** What a block, and what else is named, read that is not in it; each once. */
export function rootsAround(block: Block, others: readonly Expression[] = []): readonly Root[] {
  const own = new Set(nodesOf(block).map(({ id }) => id))
  const read = [
    ...nodesOf(block).flatMap(expressionsOf),
    ...blocksIn(block).map(({ result }) => result),
    ...others,
  ].flatMap(rootsOf)
  const around = read.filter((root) => root.kind === 'input' || !own.has(root.id))
  return unique(around)
}

const unique = (roots: readonly Root[]): readonly Root[] => [
  ...new Map(roots.map((root) => [JSON.stringify(root), root])).values(),
]

/** Its first state: what was handed in becomes variables again. */
export function takeOver(handedIn: HandedIn, next: string): PassState {
  const assign = Object.keys(handedIn).map((name) => [name, embed(`$states.input.${name}`)])
  const assigned = assign.length === 0 ? {} : { Assign: Object.fromEntries(assign) }
  return { Type: 'Pass', ...assigned, Output: {}, Next: next }
}
