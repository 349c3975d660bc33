import { lastingIn, type MapNode } from '../../core/doer-plan.ts'
import type { Template } from '../asl.ts'
import { briefly, DESCRIBED, describedBriefly, describedFail, ITEM_FAILED } from '../failure.ts'
import type { CompileBlock } from './compile-block.ts'
import type { Entering } from './entering.ts'
import type { Flow, Sink } from './flow.ts'
import { giveUp } from './give-up.ts'
import { keepItem, keepingSink } from './kept-list.ts'

/** What an iteration gives when it has ended well, and when it failed; without the latter its failure is the map's. */
export interface Outcomes {
  succeeded(result: Template): Template
  readonly failed?: {
    readonly output: (error: Template) => Template
    /** Code: how many characters of the message there is room for. */
    readonly length: string
  }
}

/**
 * Writes the states of a map's body into a flow of its own, and answers the first. What the body gives is the iteration's output or, where
 * the map makes a list artifact, an item of that.
 */
export function compileIteration(
  map: MapNode,
  inner: Flow,
  place: string,
  outcomes: Outcomes,
  entering: Entering,
  compileBlock: CompileBlock,
): string {
  const { caught, described } = inner.failure
  const { failed } = outcomes
  // Every failure comes by `described`, so what is left of the item is given up after it.
  const settled =
    failed !== undefined && lastingIn(map.body).length > 0 ? inner.stateName(`(${place} settles)`) : described
  const isKept = inner.isArtifact(map)
  const sink: Sink = isKept ? keepingSink(map, inner) : { kind: 'end', output: outcomes.succeeded }
  const start = compileBlock(map.body, inner, sink, place, entering)
  if (failed === undefined) {
    inner.states.set(caught, ITEM_FAILED)
    inner.states.set(described, describedFail)
  } else {
    const goesOn =
      isKept || settled !== described
        ? ({ Output: DESCRIBED, Next: described } as const)
        : ({ Output: failed.output(describedBriefly(failed.length)), End: true } as const)
    inner.states.set(caught, { Type: 'Pass', ...goesOn })
    if (settled !== described)
      inner.states.set(described, {
        Type: 'Pass',
        Output: '{% $states.input %}',
        Next: giveUp(map.body, inner, place, settled),
      })
    inner.states.set(settled, { Type: 'Pass', Output: failed.output(briefly(failed.length)), End: true })
  }
  if (isKept) keepItem(map, inner, outcomes, settled)
  return start
}
