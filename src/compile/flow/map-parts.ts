import type { MapNode } from '../../core/doer-plan.ts'
import type { MapState, Template } from '../asl.ts'
import { briefLength, catchAll } from '../failure.ts'
import { embed } from '../jsonata.ts'
import { type Flow, keep } from './flow.ts'
import type { Outcomes } from './iteration.ts'
import { indexesOf, itemPointer } from './kept-list.ts'
import { quoted } from './quoted.ts'

/** What tells an inline map from one whose items run in executions of their own. */
export type MapParts = Required<Pick<MapState, 'Comment' | 'ItemSelector' | 'ItemProcessor'>>

/** A map's state but for what comes of its results. */
export function mapState(map: MapNode, flow: Flow, { Comment, ItemSelector, ItemProcessor }: MapParts) {
  return {
    Type: 'Map',
    Comment,
    Items: itemsOf(map, flow),
    ItemSelector,
    MaxConcurrency: map.concurrency,
    ItemProcessor,
    Catch: catchAll(map.name, 'Internal', flow.failure.caught),
  } as const
}

/** Writes a map's state whose results are what its items give, and what comes after it where only some may fail. */
export function writeMap(map: MapNode, flow: Flow, parts: MapParts, next: string): void {
  const tooMany = tooManyOf(map, flow)
  flow.states.set(map.name, {
    ...mapState(map, flow, parts),
    ...keepResults(map, flow, embed('$states.result')),
    ...goesOn(tooMany, next),
  })
  if (tooMany !== undefined) limitFailures(map, flow, tooMany, next)
}

/** The state that counts the failures, where only some may fail. */
function tooManyOf({ name, tolerate }: MapNode, flow: Flow): string | undefined {
  return typeof tolerate === 'number' ? flow.stateName(`(failures of ${quoted(name)})`) : undefined
}

/** From a map whose items are settled. */
function goesOn(tooMany: string | undefined, next: string) {
  return {
    Output: tooMany === undefined ? {} : { failed: embed('$count($states.result[ok = false])') },
    Next: tooMany ?? next,
  }
}

/** What stands for the item in the input of an iteration. */
export function itemOf(map: MapNode, flow: Flow): Template {
  return flow.isArtifact(map) ? itemPointer(map, flow) : '{% $states.context.Map.Item.Value %}'
}

/** `Assign` for the results, unless they are kept as an artifact. */
export function keepResults(map: MapNode, flow: Flow, results: Template) {
  return flow.isArtifact(map) ? {} : keep(flow, map, results)
}

/** What each item of a map that tolerates failures gives. `length`: code, how many characters of a message there is room for. */
export const settling = (length: string): Outcomes => ({
  succeeded: (value) => ({ ok: true, value }),
  failed: { output: (error) => ({ ok: false, error }), length },
})

/** Code: how many characters of its message each item's failure may have, so that all of them fit together. */
export function briefLengthOf(map: MapNode, flow: Flow): string {
  const list = flow.writer().code(map.list)
  return briefLength(flow.mostItems(map), flow.isArtifact(map) ? `${list}.size` : `$count(${list})`)
}

/** The list; one with more items than `atMost` fails the map, where the schema lets it have more. */
function itemsOf(map: MapNode, flow: Flow): Template {
  if (flow.isArtifact(map)) return indexesOf(map, flow)
  const { name, list, atMost } = map
  if (!flow.needsCheck(map)) return flow.writer().template(list)
  const code = flow.writer().code(list)
  const problem = JSON.stringify(`"${name}" takes at most ${atMost} items`)
  return embed(`$count(${code}) <= ${atMost} ? ${code} : $error(${problem})`)
}

/** Fails the map when more of its items failed than may. */
function limitFailures({ name, tolerate }: MapNode, flow: Flow, state: string, next: string): void {
  const excess = flow.stateName(`(too many failures of ${quoted(name)})`)
  flow.states.set(state, {
    Type: 'Choice',
    Choices: [{ Condition: embed(`$states.input.failed > ${tolerate}`), Next: excess }],
    Default: next,
  })
  flow.states.set(excess, {
    Type: 'Pass',
    Output: {
      name: 'Internal',
      message: embed(
        `${JSON.stringify(`step "${name}": `)} & $states.input.failed & " items failed, and ${tolerate} may"`,
      ),
    },
    Next: flow.failure.described,
  })
}
