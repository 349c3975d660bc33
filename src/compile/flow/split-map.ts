import type { MapNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import { embed } from '../jsonata.ts'
import type { CompileBlock } from './compile-block.ts'
import { NOTHING_ENTERS } from './entering.ts'
import { FIRST_FAILURE, failWithFirst } from './first-failure.ts'
import { type Flow, handedInFlow, innerFailure, innerFlow } from './flow.ts'
import { type HandedIn, handIn, needsOf, takeOver } from './hand-in.ts'
import { compileIteration, type Outcomes } from './iteration.ts'
import { isLoaded, loadItem } from './kept-list.ts'
import {
  briefLengthOf,
  itemOf,
  keepResults,
  type MapParts,
  mapState,
  settling,
  writeMap,
} from './map-parts.ts'
import { quoted } from './quoted.ts'
import { scopeOf } from './scope.ts'

/**
 * A Map each iteration of which is an execution of its own, with a history of its own. One that fails would fail the Map
 * under a name of Step Functions', and what failed would be lost: so every iteration succeeds, with `{ value: [result] }`
 * or with `{ error }`.
 */
export function compileSplitMap(map: MapNode, flow: Flow, next: string, compileBlock: CompileBlock): void {
  const { handedIn, iteration } = iterationOf(map, flow, compileBlock)
  const parts = {
    Comment: 'For each item, in an execution of its own',
    ItemSelector: handedIn,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      ...iteration,
    },
  } as const
  if (map.tolerate === undefined) writeUnlessOneFails(map, flow, parts, next)
  else writeMap(map, flow, parts, next)
}

/** Writes a map's state that gives what its items gave, and what fails after it with the first failure of one. */
function writeUnlessOneFails(map: MapNode, flow: Flow, parts: MapParts, next: string): void {
  const which = flow.stateName(`(first failure of ${quoted(map.name)})`)
  flow.states.set(map.name, {
    ...mapState(map, flow, parts),
    ...keepResults(map, flow, ALL_RESULTS),
    Output: FIRST_FAILURE,
    Next: which,
  })
  failWithFirst(map.name, flow, which, next)
}

// A list in a list of one stays whole; JSONata would take other lists apart.
const ALL_RESULTS = embed('$reduce($states.result, function($all, $one) { $append($all, $one.value) }, [])')

/** What each item's execution is given, and its states. */
function iterationOf(map: MapNode, flow: Flow, compileBlock: CompileBlock) {
  const place = `an item of ${quoted(map.name)}`
  const inside = innerFlow(flow, innerFailure(flow, place), [...flow.indexes, indexOf(map)])
  const { own, ...around } = needsOf(map, inside, {
    others: isLoaded(map, flow) ? [map.list] : [],
    tellsPlace: flow.isArtifact(map),
  })
  const inner = handedInFlow(inside, around.roots)
  const given = own
    .filter(({ kind }) => kind === 'index' || !isLoaded(map, flow))
    .map((root) => [
      inner.variable(root),
      root.kind === 'index' ? '{% $states.context.Map.Item.Index %}' : itemOf(map, flow),
    ])
  // Counted around it: which items there are is not known in it.
  const length = `room_of_${inner.variable({ kind: 'result', id: map.id })}`
  const handedIn: HandedIn = {
    ...handIn(around, flow, inner),
    ...Object.fromEntries(given),
    // What is kept as an artifact has room for all of it.
    ...(!(flow.isArtifact(map) && map.tolerate !== undefined) && {
      [length]: embed(briefLengthOf(map, flow)),
    }),
  }
  const outcomes: Outcomes =
    map.tolerate === undefined
      ? {
          succeeded: (result) => ({ value: [result] }),
          failed: { output: (error) => ({ error }), length: `$${length}` },
        }
      : settling(`$${length}`)
  const start = flow.stateName(`(start of ${place})`)
  // Written first, so that it stands before the others.
  inner.states.set(start, takeOver(handedIn, start))
  const entry = compileIteration(map, inner, place, outcomes, NOTHING_ENTERS, compileBlock)
  inner.states.set(start, takeOver(handedIn, readingFirst(map, inner, entry)))
  return { handedIn, iteration: scopeOf(start, inner) }
}

/** The state that loads the item where the machine reads of it, and goes on with the body. */
function readingFirst(map: MapNode, inner: Flow, entry: string): string {
  if (!isLoaded(map, inner)) return entry
  return loadItem(map, inner, `$${inner.variable(indexOf(map))}`, entry, {})
}

const indexOf = ({ id }: MapNode): Root => ({ kind: 'index', id })
