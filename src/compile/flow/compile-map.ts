import type { MapNode } from '../../core/doer-plan.ts'
import { type Block, stepsOf } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import type { Template } from '../asl.ts'
import { catchAll, DESCRIBED, describedFail, ITEM_FAILED } from '../failure.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock, Entering } from './compile-block.ts'
import { type Flow, innerFailure, innerFlow, keep, readRoots } from './flow.ts'
import { goesOn, itemsOf, limitFailures, tooManyOf } from './map-parts.ts'
import { scopeOf } from './scope.ts'
import { compileSplitMap } from './split-map.ts'

/** A Map whose iterations are flows of their own. Those of an inline one get `{ item, index }`. */
export function compileMap(map: MapNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  flow.lists.set(map.name, { most: flow.mostItems(map), id: map.id })
  if (flow.split.has(map.id)) compileSplitMap(map, flow, next, compileBlock)
  else compileInlineMap(map, flow, next, compileBlock)
}

function compileInlineMap(map: MapNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const place = `an item of "${map.name}"`
  const failure = innerFailure(flow, place)
  const index: Root = { kind: 'index', id: map.id }
  const inner = innerFlow(flow, failure, [...flow.indexes, index])
  const isSettled = map.tolerate !== undefined
  const output = (result: Template): Template => (isSettled ? { ok: true, value: result } : result)
  const start = compileBlock(map.body, inner, { kind: 'end', output }, place, enteringOf(map, inner))
  if (isSettled) {
    inner.states.set(failure.caught, { Type: 'Pass', Output: { ok: false, error: DESCRIBED }, End: true })
    inner.states.set(failure.described, {
      Type: 'Pass',
      Output: { ok: false, error: '{% $states.input %}' },
      End: true,
    })
  } else {
    inner.states.set(failure.caught, ITEM_FAILED)
    inner.states.set(failure.described, describedFail)
  }
  const tooMany = tooManyOf(map, flow)
  flow.states.set(map.name, {
    Type: 'Map',
    Comment: 'For each item',
    Items: itemsOf(map, flow),
    ItemSelector: {
      item: '{% $states.context.Map.Item.Value %}',
      index: '{% $states.context.Map.Item.Index %}',
    },
    MaxConcurrency: map.concurrency,
    ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...scopeOf(start, inner) },
    Catch: catchAll(map.name, 'Internal', flow.failure.caught),
    ...keep(flow, map, embed('$states.result')),
    ...goesOn(tooMany, next),
  })
  if (tooMany !== undefined) limitFailures(map, flow, tooMany, next)
}

/** The first state reads item and index in its input; for the states after it they are kept, if those read them. */
function enteringOf({ id, body }: MapNode, flow: Flow): Entering {
  const item: Root = { kind: 'item', id }
  const index: Root = { kind: 'index', id }
  const later = afterFirstState(body)
  const isReadLater = readRoots(later)
  const needsIndex = isReadLater(index) || stepsOf(later).length > 0
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
