import type { Doer } from '../../core/doer.ts'
import {
  type Block,
  blocksOf,
  expressionsOf,
  hasRecord,
  type MapNode,
  nodesById,
  nodesOf,
  type PlanNode,
  type StepNode,
} from '../../core/doer-plan.ts'
import { DefinitionError } from '../../core/errors.ts'
import { type Root, rootsOf } from '../../core/expression.ts'
import type { WantedAnswer } from '../../core/keep.ts'
import { refuse } from '../../core/step-names.ts'
import type { Analysis } from '../analysis.ts'
import type { Catcher, State, Template } from '../asl.ts'
import { outputOf } from '../compile-step.ts'
import { createWriter, embed, Unwritable, type Writer } from '../jsonata.ts'
import { mostItemsOf } from '../list-bound.ts'
import { variableOf } from '../variable.ts'
import type { ListBound, LoopBound } from '../worst-case/bounds.ts'
import { NOTHING_SPLIT, type Split } from './split.ts'

/**
 * States that run in one scope of variables: the machine's own, those of an item, those of a parallel branch. Nodes write their states into
 * it in the order of the plan.
 */
export interface Flow {
  readonly doer: Doer
  readonly states: Map<string, State>
  /** Where failures go. */
  readonly failure: FailureTarget
  /** The variable that holds the run's id. */
  readonly runId: string
  /** Of the maps and repeats around, the outermost first: what says which item or time it is. */
  readonly indexes: readonly Root[]
  /** What runs in executions of its own. */
  readonly split: Split
  /** By the name of the Choice that decides whether to go on. */
  readonly loops: Map<string, LoopBound>
  /** By the name of the Map. */
  readonly lists: Map<string, ListBound>
  /** How many items the list of a map may have, where that is known. */
  mostItems(map: MapNode): number | undefined
  /** Whether the list of a map may have more items than its `atMost`, unless the machine looks. */
  needsCheck(map: MapNode): boolean
  /** Whether anything reads this root, so that a variable must hold it. */
  isRead(root: Root): boolean
  /** Whether the list of a map is an artifact, and so is what it gives. */
  isArtifact(map: MapNode): boolean
  /** How long the function of the doer's own code may run. */
  readonly codeSeconds: number
  /** What of a step's result is read. */
  wantedOf(step: StepNode): WantedAnswer
  /** The same for an item of the list artifact of a map. */
  wantedOfItem(map: MapNode): WantedAnswer
  /** Writes for a state. `own` names what the state itself has just got: its result, the item of its iteration. */
  writer(own?: Own): Writer
  variable(root: Root): string
  /** A name for a state that is no step's: the text, shortened where it has more than 80 characters; the same for the same text. */
  stateName(text: string): string
}

/** Roots that a state reads elsewhere than in variables, with where: `$states.input.item`. */
export type Own = readonly (readonly [Root, string])[]

export interface FailureTarget {
  /** The state for an error as ASL catches it: `{ step, otherwise, failure }`. */
  readonly caught: string
  /** The state for `{ name, message }`. */
  readonly described: string
}

/** What comes after a block. */
export type Sink =
  /** The flow goes on, with the result in a variable if one is named. */
  | {
      readonly kind: 'go'
      readonly next: string
      readonly variable?: string
      readonly assign?: Readonly<Record<string, Template>>
    }
  /** Its result is the output of the flow. */
  | { readonly kind: 'end'; output(result: Template): Template }

/** The machine's own variable for the run's id. */
export const RUN_ID = 'runId'
/** Step Functions: a state's name has at most 80 characters. */
const LONGEST_STATE_NAME = 80

export function createFlow(analysis: Analysis, failure: FailureTarget, split: Split = NOTHING_SPLIT): Flow {
  const { doer, shapeOf, wanted, codeSeconds } = analysis
  const nodes = nodesById(doer.plan)
  const isRead = readRoots(doer.plan)
  const shortened = new Map<string, string>()
  const variable = (root: Root): string => {
    if (root.kind === 'input') return 'input'
    const node = nodes.get(root.id)
    if (node === undefined) throw new Error(`The plan of ${doer.name} has no node ${root.id}`)
    return root.kind === 'result' || root.kind === 'state'
      ? variableOf(node)
      : `${root.kind}_of_${variableOf(node)}`
  }
  return {
    doer,
    states: new Map(),
    failure,
    runId: RUN_ID,
    indexes: [],
    split,
    loops: new Map(),
    lists: new Map(),
    mostItems: (map) => mostItemsOf(map, shapeOf),
    needsCheck: ({ list, atMost }) =>
      atMost !== undefined && (shapeOf(list).mostItems ?? Number.POSITIVE_INFINITY) > atMost,
    isRead,
    isArtifact: ({ name, list }) => {
      const { isArtifact } = shapeOf(list)
      if (isArtifact === 'mixed')
        throw new DefinitionError(
          `doer "${doer.name}", map "${name}": its list may or may not be an artifact`,
        )
      return isArtifact
    },
    codeSeconds,
    wantedOf: wanted.ofStep,
    wantedOfItem: wanted.ofItem,
    variable,
    stateName(text) {
      if (text.length <= LONGEST_STATE_NAME) return text
      const name = shortened.get(text) ?? `${begin(text, LONGEST_STATE_NAME - 8)}… ${shortened.size + 1})`
      shortened.set(text, name)
      return name
    },
    writer: (own = []) => {
      const places = new Map(own.map(([root, place]) => [keyOf(root), place]))
      return createWriter((root) => places.get(keyOf(root)) ?? `$${variable(root)}`, shapeOf)
    },
  }
}

/** At most so many characters of a text's begin; none of them is half of one. */
const begin = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')

/** The same doer's flow in a scope of its own, with nothing written yet. */
export function innerFlow(outer: Flow, failure: FailureTarget, indexes = outer.indexes): Flow {
  return { ...outer, states: new Map(), failure, indexes }
}

/**
 * The same flow in which these roots have variables of other names. Step Functions: a scope may not assign a variable that the scope around it
 * assigns, too.
 */
export function withNamesOfItsOwn(flow: Flow, roots: readonly Root[]): Flow {
  const names = new Map(roots.map((root) => [keyOf(root), oneDeeper(flow.variable(root))]))
  const variable = (root: Root) => names.get(keyOf(root)) ?? flow.variable(root)
  const own: Own = roots.map((root) => [root, `$${variable(root)}`])
  return { ...flow, variable, writer: (more = []) => flow.writer([...own, ...more]) }
}

/** The flow of an execution of its own, to which these roots, and the run's id, are handed in. */
export function handedInFlow(flow: Flow, roots: readonly Root[]): Flow {
  return { ...withNamesOfItsOwn(flow, roots), runId: oneDeeper(flow.runId) }
}

// A node's variable ends in its id, so this is never a part of its name.
const DEPTH = /_in([0-9]+)$/

/** `a_1`, `a_1_in1`, `a_1_in2`: it stays short, since Step Functions takes 80 characters. */
function oneDeeper(variable: string): string {
  const depth = Number(DEPTH.exec(variable)?.[1] ?? 0)
  return `${variable.replace(DEPTH, '')}_in${depth + 1}`
}

/** Writes what stands at `place`, such as `step "look up"`; what cannot be written is refused with the place. */
export function writeAt<T>({ doer }: Flow, place: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error
    return refuse(doer.name, place, error.message)
  }
}

/** Which run it is. */
export const runIdIn = ({ runId }: Flow): Template => embed(`$${runId}`)

/** Which item or time it is, of each map and repeat around. */
export const indexesIn = ({ indexes }: Flow, write: Writer): readonly Template[] =>
  indexes.map((root) => embed(write.code({ kind: 'root', root })))

/** Where something on record stands: in which run, and under which number, name and indexes. */
export function placeIn(
  flow: Flow,
  { number, name }: { readonly number: number; readonly name: string },
  write = flow.writer(),
) {
  const indexes = indexesIn(flow, write)
  return { runId: runIdIn(flow), step: { number, name, ...(indexes.length > 0 && { indexes }) } } as const
}

/** What a step's state itself has: its result. */
export function ownOf(step: StepNode): Own {
  return [[{ kind: 'result', id: step.id }, outputOf(step)]]
}

/** `Assign` for what a node gave, when something reads it. */
export function keep(
  flow: Flow,
  node: PlanNode,
  value: Template,
): { readonly Assign?: Record<string, Template> } {
  const variable = keptIn(flow, node)
  return variable === undefined ? {} : { Assign: { [variable]: value } }
}

/** For a block of a node whose result is the node's: the flow goes on at `next`. */
export function sinkOf(flow: Flow, node: PlanNode, next: string): Sink {
  const variable = keptIn(flow, node)
  return { kind: 'go', next, ...(variable === undefined ? {} : { variable }) }
}

/** The variable for what a node gave, when something reads it. */
function keptIn(flow: Flow, { id }: PlanNode): string | undefined {
  const root: Root = { kind: 'result', id }
  return flow.isRead(root) ? flow.variable(root) : undefined
}

/** Where failures go in a scope of its own; `place` says for people which it is. */
export function innerFailure(flow: Flow, place: string): FailureTarget {
  return {
    caught: flow.stateName(`(${place} failed)`),
    described: flow.stateName(`(${place} fails)`),
  }
}

export const withAssign = (
  catchers: readonly Catcher[] | undefined,
  assign: Readonly<Record<string, Template>>,
): readonly Catcher[] | undefined =>
  Object.keys(assign).length === 0 ? catchers : catchers?.map((catcher) => ({ ...catcher, Assign: assign }))

export const keyOf = (root: Root): string => (root.kind === 'input' ? 'input' : `${root.kind} ${root.id}`)

/** Tells of each root whether a block reads it. The indexes of what has steps in it are read by those, which it tells apart. */
export function readRoots(block: Block): (root: Root) => boolean {
  const all = nodesOf(block)
  const expressions = [...all.flatMap(expressionsOf), ...blocksIn(block).map(({ result }) => result)]
  const indexes = all.flatMap((node): Root[] =>
    (node.kind === 'map' || node.kind === 'repeat') && hasRecord(node.body)
      ? [{ kind: 'index', id: node.id }]
      : [],
  )
  const read = new Set([...expressions.flatMap(rootsOf), ...indexes].map(keyOf))
  return (root) => read.has(keyOf(root))
}

/** Whether something in a block says which run it is and which item or time: what is on record does, and maps that keep what their items give. */
export function saysPlace(block: Block, { isArtifact }: Flow): boolean {
  return hasRecord(block) || nodesOf(block).some((node) => node.kind === 'map' && isArtifact(node))
}

/** A block and those in it, at any depth. */
export function blocksIn(block: Block): readonly Block[] {
  return [block, ...nodesOf(block).flatMap(blocksOf)]
}
