import type { MapNode } from '../core/doer-plan.ts'
import type { Expression } from '../core/expression.ts'
import type { Shape } from './shape/shape.ts'

/** How many items the list of a map may have, by its schema or by the map's `atMost`; undefined where neither says. */
export function mostItemsOf(
  { list, atMost }: MapNode,
  shapeOf: (expression: Expression) => Shape,
): number | undefined {
  const { mostItems = atMost } = shapeOf(list)
  return mostItems === undefined ? undefined : Math.min(mostItems, atMost ?? mostItems)
}
