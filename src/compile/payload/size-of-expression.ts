import { aroundEach, blocksOf, nodesById, type PlanNode, type RepeatNode } from '../../core/doer-plan.ts'
import type { Expression, Root } from '../../core/expression.ts'
import type { Analysis } from '../analysis.ts'
import { mostItemsOf } from '../list-bound.ts'
import { keptSize } from './kept-size.ts'
import {
  add,
  BOOLEAN,
  bytesOfJson,
  largest,
  listOf,
  NUMBER,
  objectOf,
  ofBytes,
  type Size,
  UNKNOWN,
} from './size.ts'
import { sizeOfSchema } from './size-of-schema.ts'

/** `{ "artifact": "<32 of 0-9a-f>", "size": 10000 }` */
const ARTIFACT_REFERENCE = ofBytes(80)

/** What the states of repeats are taken to be, by node. */
type States = ReadonlyMap<number, Size>

/** Tells how large the value of each expression of a doer may become. */
export function createSizes({ doer, shapeOf, wanted }: Analysis): (expression: Expression) => Size {
  const nodes = nodesById(doer.plan)
  const depths = aroundEach(doer.plan, 0, ({ kind }, depth) =>
    kind === 'map' || kind === 'repeat' ? depth + 1 : depth,
  )

  const ofRoot = (root: Root, states: States): Size => {
    if (root.kind === 'input') return sizeOfSchema(doer.input)
    const node = nodes.get(root.id)
    if (root.kind === 'index') return NUMBER
    if (root.kind === 'item' && node?.kind === 'map') return sizeOf(node.list, states).item()
    if (root.kind === 'state' && node?.kind === 'repeat') return states.get(node.id) ?? ofState(node, states)
    return root.kind === 'result' && node !== undefined ? ofResult(node, states) : UNKNOWN
  }

  // What many read is found once for the same states.
  const known = new WeakMap<States, Map<number, Size>>()
  const ofResult = (node: PlanNode, states: States): Size => {
    const sizes = known.get(states) ?? new Map<number, Size>()
    known.set(states, sizes)
    const size = sizes.get(node.id) ?? findResult(node, states)
    sizes.set(node.id, size)
    return size
  }

  const findResult = (node: PlanNode, states: States): Size => {
    switch (node.kind) {
      case 'step':
        return keptSize(
          sizeOfSchema(node.callable.output),
          wanted.ofStep(node),
          node,
          depths.get(node.id) ?? 0,
        )
      case 'map': {
        if (shapeOf(node.list).isArtifact === true) return ARTIFACT_REFERENCE
        const most = mostItemsOf(node, shapeOf)
        // What failed says so in a text of any length.
        return listOf(most, () => (node.tolerate === undefined ? sizeOf(node.body.result, states) : UNKNOWN))
      }
      case 'parallel':
        return objectOf(
          new Map(Object.entries(node.branches).map(([name, { result }]) => [name, sizeOf(result, states)])),
        )
      case 'repeat':
        return states.get(node.id) ?? ofState(node, states)
      case 'choose':
      case 'recover':
        return largest(blocksOf(node).map(({ result }) => sizeOf(result, states)))
      case 'group':
      case 'job':
        return sizeOf(node.body.result, states)
      case 'ask':
        return sizeOfSchema(node.answer)
      case 'emit':
      case 'wait':
      case 'fail':
        return UNKNOWN
    }
  }

  /** Known where one more time makes it no larger. */
  const ofState = ({ id, from, body }: RepeatNode, states: States): Size => {
    const after = (state: Size) => largest([state, sizeOf(body.result, new Map([...states, [id, state]]))])
    const state = after(sizeOf(from, states))
    return state.bytes !== undefined && after(state).bytes === state.bytes ? state : UNKNOWN
  }

  const sizeOf = (expression: Expression, states: States): Size => {
    switch (expression.kind) {
      case 'root':
        return ofRoot(expression.root, states)
      case 'field':
        return sizeOf(expression.of, states).field(expression.name)
      case 'present':
        return sizeOf(expression.of, states)
      case 'literal':
        return ofBytes(bytesOfJson(expression.value))
      case 'object': {
        const fields = Object.entries(expression.fields).map(
          ([name, field]) => [name, sizeOf(field, states)] as const,
        )
        return objectOf(new Map(fields))
      }
      case 'list':
        return listOf(expression.items.length, () =>
          largest(expression.items.map((item) => sizeOf(item, states))),
        )
      case 'operation':
        return sizeOfOperation(expression, (operand) => sizeOf(operand, states))
    }
  }
  const noStates: States = new Map()
  return (expression) => sizeOf(expression, noStates)
}

function sizeOfOperation(
  { operation, operands }: Extract<Expression, { kind: 'operation' }>,
  of: (operand: Expression) => Size,
): Size {
  switch (operation) {
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
    case 'size':
      return NUMBER
    case 'at':
      return operands[0] === undefined ? UNKNOWN : of(operands[0]).item()
    case 'orElse':
      return largest(operands.map(of))
    case 'join': {
      const bytes = add([2, ...operands.map((operand) => of(operand).bytes)])
      return bytes === undefined ? UNKNOWN : ofBytes(bytes)
    }
    default:
      return BOOLEAN
  }
}
