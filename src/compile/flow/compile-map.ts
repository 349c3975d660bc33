import { type Block, lastingIn, type MapNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import type { CompileBlock } from './compile-block.ts'
import { type Entering, NOTHING_ENTERS } from './entering.ts'
import { type Flow, innerFailure, innerFlow, readRoots, saysPlace } from './flow.ts'
import { compileIteration, type Outcomes } from './iteration.ts'
import { finishList, isLoaded, loadItem } from './kept-list.ts'
import { briefLengthOf, itemOf, settling, writeMap } from './map-parts.ts'
import { quoted } from './quoted.ts'
import { scopeOf } from './scope.ts'
import { compileSplitMap } from './split-map.ts'

/** A Map whose iterations are flows of their own. Those of an inline one get `{ item, index }`. */
export function compileMap(map: MapNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  flow.lists.set(map.name, { most: flow.mostItems(map), id: map.id })
  const makesList = flow.isArtifact(map)
  const after = makesList ? flow.stateName(`(make the list of ${quoted(map.name)})`) : next
  if (flow.split.has(map.id)) compileSplitMap(map, flow, after, compileBlock)
  else compileInlineMap(map, flow, after, compileBlock)
  if (makesList) flow.states.set(after, finishList(map, flow, next))
}

function compileInlineMap(map: MapNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const place = `an item of ${quoted(map.name)}`
  const failure = innerFailure(flow, place)
  const index: Root = { kind: 'index', id: map.id }
  const inner = innerFlow(flow, failure, [...flow.indexes, index])
  const outcomes: Outcomes =
    map.tolerate === undefined ? { succeeded: (result) => result } : settling(briefLengthOf(map, flow))
  const start = compileInlineIteration(map, inner, place, outcomes, compileBlock)
  const parts = {
    Comment: 'For each item',
    ItemSelector: {
      ...(isLoaded(map, flow) ? {} : { item: itemOf(map, flow) }),
      index: '{% $states.context.Map.Item.Index %}',
    },
    ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...scopeOf(start, inner) },
  } as const
  writeMap(map, flow, parts, next)
}

function compileInlineIteration(
  map: MapNode,
  inner: Flow,
  place: string,
  outcomes: Outcomes,
  compileBlock: CompileBlock,
): string {
  const entering = enteringOf(map, inner)
  if (!isLoaded(map, inner)) return compileIteration(map, inner, place, outcomes, entering, compileBlock)
  const start = compileIteration(map, inner, place, outcomes, NOTHING_ENTERS, compileBlock)
  const index = { [inner.variable({ kind: 'index', id: map.id })]: '{% $states.input.index %}' }
  return loadItem(map, inner, '$states.input.index', start, index)
}

/** The first state reads item and index in its input; for the states after it they are kept, if those read them. */
function enteringOf(map: MapNode, flow: Flow): Entering {
  const { id, body } = map
  const item: Root = { kind: 'item', id }
  const index: Root = { kind: 'index', id }
  // Without a node, what it gives is kept by a state that comes after the one that keeps the index.
  const later = flow.isArtifact(map) && body.nodes.length === 0 ? body : afterFirstState(body)
  const isReadLater = readRoots(later)
  // What gives up an item that failed says which item it is.
  const mayGiveUp = map.tolerate !== undefined && lastingIn(body).length > 0
  const needsIndex = isReadLater(index) || saysPlace(later, flow) || flow.isArtifact(map) || mayGiveUp
  return {
    own: [
      [item, '$states.input.item'],
      [index, '$states.input.index'],
    ],
    assign: {
      ...(isReadLater(item) ? { [flow.variable(item)]: '{% $states.input.item %}' } : {}),
      ...(needsIndex ? { [flow.variable(index)]: '{% $states.input.index %}' } : {}),
    },
  }
}

/** What of a block does not happen in its first state, which also gives the result where it is the only one. */
function afterFirstState({ nodes, result }: Block): Block {
  const rest = nodes[0]?.kind === 'step' ? nodes.slice(1) : nodes
  const isOneState = nodes.length <= 1 && rest.length === 0
  return { nodes: rest, result: isOneState ? { kind: 'literal', value: null } : result }
}
