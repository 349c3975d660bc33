import type { MapNode } from '../../core/doer-plan.ts'
import type { Root } from '../../core/expression.ts'
import { POINTER } from '../../core/keep.ts'
import { refuse } from '../../core/step-names.ts'
import type { TaskState, Template } from '../asl.ts'
import { templateOf } from '../compile-step.ts'
import { catchAll, functionNameOf } from '../failure.ts'
import { embed } from '../jsonata.ts'
import { LISTS_ID } from '../reach.ts'
import { LIST_RETRY, REPORT_TIMEOUT_SECONDS } from '../retry.ts'
import { type Flow, runIdIn, type Sink } from './flow.ts'
import type { Outcomes } from './iteration.ts'
import { quoted } from './quoted.ts'

// A map over a list artifact: what it iterates over are indexes, and what its items give becomes another list artifact.

const LISTS = functionNameOf(LISTS_ID)

/** More would not fit into a state. */
const MOST_ITEMS = 10_000

/**
 * The places of its items; a list with more than 10,000, or than its `atMost`, fails the map. Throws `DefinitionError` for an `atMost` that is
 * more.
 */
export function indexesOf({ name, list, atMost = MOST_ITEMS }: MapNode, flow: Flow): Template {
  if (atMost > MOST_ITEMS)
    refuse(
      flow.doer.name,
      `map "${name}"`,
      `atMost is ${atMost}; over a list artifact it is at most ${MOST_ITEMS}, since a map over one takes no more items`,
    )
  const size = `${flow.writer().code(list)}.size`
  const problem = JSON.stringify(`"${name}" takes at most ${atMost} items`)
  return embed(`${size} > ${atMost} ? $error(${problem}) : ${size} = 0 ? [] : [0..${size} - 1]`)
}

/** Whether the list is an artifact of whose items the machine itself reads something, so that each has to be loaded. */
export function isLoaded(map: MapNode, flow: Flow): boolean {
  if (!flow.isArtifact(map)) return false
  const { keep } = flow.wantedOfItem(map)
  return keep !== 'passed' && Object.keys(keep).length > 0
}

/** What stands for an item that is only handed on. */
export function itemPointer({ list }: MapNode, flow: Flow): Template {
  const id = embed(`"A#" & ${flow.writer().code(list)}.artifact`)
  return { [POINTER]: [id, '{% $states.context.Map.Item.Value %}'] }
}

/** Writes the first state of an iteration whose item has to be loaded, and answers its name; `index` is where it stands in this state. */
export function loadItem(
  map: MapNode,
  flow: Flow,
  index: string,
  next: string,
  assign: Readonly<Record<string, Template>>,
): string {
  const { id, name, list } = map
  const state = flow.stateName(`(read an item of ${quoted(name)})`)
  flow.states.set(state, {
    Type: 'Task',
    Comment: 'Reads the item',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: {
      FunctionName: LISTS,
      Payload: {
        kind: 'load',
        list: flow.writer().template(list),
        index: embed(index),
        wanted: templateOf(flow.wantedOfItem(map)),
      },
    },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: LIST_RETRY,
    Catch: catchAll(`${name}: read an item`, 'Internal', flow.failure.caught).map((catcher) => ({
      ...catcher,
      Assign: assign,
    })),
    Assign: { ...assign, [flow.variable({ kind: 'item', id })]: '{% $states.result.Payload.output %}' },
    Output: {},
    Next: next,
  })
  return state
}

/** Where the body of such a map goes on. */
export function keepingSink(map: MapNode, inner: Flow): Extract<Sink, { kind: 'go' }> {
  return {
    kind: 'go',
    next: inner.stateName(`(keep what an item of ${quoted(map.name)} gave)`),
    variable: givenBy(map, inner),
  }
}

const givenBy = ({ id }: MapNode, inner: Flow): string => `given_${inner.variable({ kind: 'result', id })}`

/** The states that keep what the body gave and, as `settled`, a failure that the map tolerates. */
export function keepItem(map: MapNode, inner: Flow, { succeeded, failed }: Outcomes, settled: string): void {
  const given = embed(`$${givenBy(map, inner)}`)
  const value: Template = map.tolerate === undefined ? given : { ok: true, value: given }
  const { next: state } = keepingSink(map, inner)
  inner.states.set(state, {
    ...saveState(map, inner, value, succeeded({})),
    // What cannot be kept is the item's failure.
    Catch: catchAll(`${map.name}: keep an item`, 'Internal', inner.failure.caught),
  })
  if (map.tolerate === undefined || failed === undefined) return
  const failure = { ok: false, error: '{% $states.input %}' }
  inner.states.set(settled, saveState(map, inner, failure, failed.output({})))
}

function saveState(map: MapNode, inner: Flow, value: Template, output: Template): TaskState {
  const own: Root = { kind: 'index', id: map.id }
  return {
    ...listTask(map, inner, inner.indexes.slice(0, -1), {
      kind: 'save',
      index: embed(`$${inner.variable(own)}`),
      value,
    }),
    Output: output,
    End: true,
  }
}

/** After the last item: makes the list, which is what the map gives. */
export function finishList(map: MapNode, flow: Flow, next: string): TaskState {
  return {
    ...listTask(map, flow, flow.indexes, {
      kind: 'finish',
      list: flow.writer().template(map.list),
      size: embed(`${flow.writer().code(map.list)}.size`),
    }),
    Catch: catchAll(map.name, 'Internal', flow.failure.caught),
    Assign: { [flow.variable({ kind: 'result', id: map.id })]: '{% $states.result.Payload %}' },
    Output: {},
    Next: next,
  }
}

function listTask(
  { name }: MapNode,
  flow: Flow,
  indexes: readonly Root[],
  message: Readonly<Record<string, Template>>,
): Pick<TaskState, 'Type' | 'Resource' | 'Arguments' | 'TimeoutSeconds' | 'Retry'> {
  const place = {
    runId: runIdIn(flow),
    map: name,
    indexes: indexes.map((root) => embed(`$${flow.variable(root)}`)),
  }
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: LISTS, Payload: { ...message, ...place } },
    TimeoutSeconds: REPORT_TIMEOUT_SECONDS,
    Retry: LIST_RETRY,
  }
}
