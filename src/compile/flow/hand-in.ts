import { type Block, expressionsOf, type MapNode, nodesOf, type RepeatNode } from '../../core/doer-plan.ts'
import { type Expression, type Root, rootsOf } from '../../core/expression.ts'
import type { PassState, Template } from '../asl.ts'
import { embed } from '../jsonata.ts'
import { blocksIn, type Flow, keyOf, runIdIn, saysPlace } from './flow.ts'

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

/** What a map or a repeat, and what else is named, read of the scope around it; `own`: the item, the index, the state of itself. */
export function needsOf(
  { id, body }: MapNode | RepeatNode,
  flow: Flow,
  /** `tellsPlace`: it says which run and which item it is, also where nothing in the block does. */
  {
    others = [],
    tellsPlace = false,
  }: { readonly others?: readonly Expression[]; readonly tellsPlace?: boolean },
): Needs & { readonly own: readonly Root[] } {
  const tellsRun = tellsPlace || saysPlace(body, flow)
  const all = unique([...(tellsRun ? flow.indexes : []), ...rootsAround(body, others)])
  const isOwn = (root: Root): boolean => root.kind !== 'input' && root.id === id
  return { tellsRun, roots: all.filter((root) => !isOwn(root)), own: all.filter(isOwn) }
}

/** Hands these in from the variables of one flow for those of another. */
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
  ...new Map(roots.map((root) => [keyOf(root), root])).values(),
]

/** Its first state: what was handed in becomes variables again. */
export function takeOver(handedIn: HandedIn, next: string): PassState {
  const assign = Object.keys(handedIn).map((name) => [name, embed(`$states.input.${name}`)])
  const assigned = assign.length === 0 ? {} : { Assign: Object.fromEntries(assign) }
  return { Type: 'Pass', ...assigned, Output: {}, Next: next }
}
