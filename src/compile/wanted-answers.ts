import type { Doer } from '../core/doer.ts'
import {
  aroundEach,
  type Block,
  blocksOf,
  expressionsOf,
  type MapNode,
  nodesById,
  type PlanNode,
  type StepNode,
} from '../core/doer-plan.ts'
import type { Expression, Root } from '../core/expression.ts'
import { LARGEST_ANSWER_BYTES, type WantedAnswer } from '../core/keep.ts'
import { mostItemsOf } from './list-bound.ts'
import { createReading, ITEM, type PathPart, type Reading, type ReadMode } from './reading.ts'
import type { Shape } from './shape/shape.ts'
import { ASSUMED_ITEMS } from './worst-case/bounds.ts'

type Path = readonly PathPart[]
type Operating = Extract<Expression, { kind: 'operation' }>
const NOTHING: Expression = { kind: 'literal', value: null }

/** A value that leads back to itself through a repeat could be read ever deeper. */
const DEEPEST_PATH = 12

export interface WantedAnswers {
  ofStep(step: StepNode): WantedAnswer
  /** Of an item of the list artifact that a map works on. */
  ofItem(map: MapNode): WantedAnswer
}

/** Of one answer. */
const MOST_BYTES = 16_384

/**
 * Tells of each step of a doer, and of the items of list artifacts, what of it is read anywhere in the plan, also by way of branches, maps and
 * repeats that give it on: so much the state carries.
 */
export function createWantedAnswers(doer: Doer, shapeOf: (expression: Expression) => Shape): WantedAnswers {
  const nodes = nodesById(doer.plan)
  const readings = new Map<number, Reading>()
  const seen = new Set<string>()

  /** Notes that a part of what an expression gives is read. */
  const read = (expression: Expression, given: Path, mode: ReadMode): void => {
    const path = given.slice(0, DEEPEST_PATH)
    if (path.length < given.length) read(expression, path, 'inline')
    else if (expression.kind === 'root') readRoot(expression.root, path, mode)
    else if (expression.kind === 'present') read(expression.of, path, mode)
    else if (expression.kind === 'operation') readOperation(expression, path, mode)
    else if (expression.kind === 'list')
      for (const item of expression.items) read(item, path[0] === ITEM ? path.slice(1) : [], mode)
    else if (expression.kind === 'object') readFields(Object.entries(expression.fields), path, mode)
    else if (expression.kind === 'field' && isLength(expression)) read(expression.of, [ITEM], 'presence')
    else if (expression.kind === 'field') read(expression.of, [expression.name, ...path], mode)
  }

  const readFields = (
    fields: readonly (readonly [string, Expression])[],
    [name, ...rest]: Path,
    mode: ReadMode,
  ): void => {
    for (const [key, field] of fields) if (name === undefined || name === key) read(field, rest, mode)
  }

  const readOperation = ({ operation, operands }: Operating, path: Path, mode: ReadMode): void => {
    const [first = NOTHING, second = NOTHING] = operands
    if (operation === 'isPresent') read(first, [], 'presence')
    else if (operation === 'size' && shapeOf(first).isList === true) read(first, [ITEM], 'presence')
    else if (operation === 'at') {
      read(first, [ITEM, ...path], mode)
      read(second, [], 'inline')
    } else
      for (const operand of operands)
        if (operation === 'orElse') read(operand, path, mode)
        else read(operand, [], 'inline')
  }

  const isLength = ({ of, name }: Extract<Expression, { kind: 'field' }>): boolean =>
    name === 'length' && shapeOf(of).isList === true

  const readRoot = (root: Root, path: Path, mode: ReadMode): void => {
    const node = 'id' in root ? nodes.get(root.id) : undefined
    if (node === undefined || root.kind === 'index' || root.kind === 'failure') return
    const key = JSON.stringify([root, mode, path.map((part) => (part === ITEM ? 0 : part))])
    if (seen.has(key)) return
    seen.add(key)
    if (root.kind === 'item' && node.kind === 'map') readItem(node, path, mode)
    else readResult(node, path, mode)
  }

  const readItem = (map: MapNode, path: Path, mode: ReadMode): void => {
    if (isArtifact(map)) readingOf(map).note(path, mode)
    else read(map.list, [ITEM, ...path], mode)
  }

  const isArtifact = ({ list }: MapNode): boolean => shapeOf(list).isArtifact === true

  const readResult = (node: PlanNode, path: Path, mode: ReadMode): void => {
    if (node.kind === 'step') readingOf(node).note(path, mode)
    else if (node.kind === 'parallel')
      readFields(
        Object.entries(node.branches).map(([label, { result }]) => [label, result]),
        path,
        mode,
      )
    else if (node.kind === 'map') {
      if (!isArtifact(node)) readItems(node, path.slice(1), mode)
    } else for (const { result } of blocksOf(node)) read(result, path, mode)
    if (node.kind === 'repeat') read(node.from, path, mode)
  }

  /** What is read of each item that a map gives; of one that tolerates failures that is `{ ok, value }`. */
  const readItems = ({ tolerate, body }: MapNode, path: Path, mode: ReadMode): void => {
    const [part, ...rest] = path
    if (tolerate === undefined) read(body.result, path, mode)
    else if (part === undefined || part === 'value') read(body.result, rest, mode)
  }

  const readingOf = ({ id }: StepNode | MapNode): Reading => {
    const reading = readings.get(id) ?? createReading()
    readings.set(id, reading)
    return reading
  }

  /** What a block gives is written down whether or not it is read, so each part that it names has to be there. */
  const readNamed = (expression: Expression): void => {
    if (expression.kind === 'root') return
    if (expression.kind === 'object') for (const field of Object.values(expression.fields)) readNamed(field)
    else if (expression.kind === 'list') for (const item of expression.items) readNamed(item)
    else read(expression, [], 'presence')
  }

  const readBlock = ({ nodes: inside, result }: Block): void => {
    readNamed(result)
    for (const node of inside) {
      readOwn(node)
      for (const block of blocksOf(node)) readBlock(block)
    }
  }

  /** What a node does with its own expressions. */
  const readOwn = (node: PlanNode): void => {
    if (node.kind === 'step') read(node.input, [], 'passed')
    else if (node.kind === 'map' && isArtifact(node)) {
      read(node.list, [], 'inline')
      // What each item gives is kept whole in another list.
      read(node.body.result, [], 'passed')
    } else if (node.kind === 'map') read(node.list, [ITEM], 'presence')
    else if (node.kind === 'repeat') {
      readNamed(node.from)
      read(node.until, [], 'inline')
    } else for (const expression of expressionsOf(node)) read(expression, [], 'inline')
  }

  readBlock(doer.plan)
  read(doer.plan.result, [], 'passed')
  /** How many answers of each step can come together in the results of the maps around it. Those of a map over an artifact do not. */
  const times = aroundEach(doer.plan, 1, (node, around) => {
    if (node.kind !== 'map') return around
    return isArtifact(node) ? 1 : around * (mostItemsOf(node, shapeOf) ?? ASSUMED_ITEMS)
  })
  return {
    ofStep: (step) => ({
      keep: readingOf(step).toKeep(),
      mostBytes: Math.min(MOST_BYTES, Math.floor(LARGEST_ANSWER_BYTES / (times.get(step.id) ?? 1))),
    }),
    ofItem: (map) => ({ keep: readingOf(map).toKeep(), mostBytes: MOST_BYTES }),
  }
}
