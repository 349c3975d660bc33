import type * as z from 'zod'
import type { Doer } from '../../core/doer.ts'
import {
  aroundEach,
  type Block,
  blocksOf,
  type MapNode,
  nodesById,
  type PlanNode,
  type RepeatNode,
} from '../../core/doer-plan.ts'
import type { Expression, Root } from '../../core/expression.ts'
import { once, remembered } from '../remembered.ts'
import { ABSENT, listOf, memberOf, NULL, objectOf, ofAnySize, SCALAR, type Shape, union } from './shape.ts'
import { shapeOfSchema } from './shape-of-schema.ts'

/** Tells the shape of each expression of a doer, from the schemas of what it starts from. */
export function createShapes(doer: Doer): (expression: Expression) => Shape {
  const around = aroundEach<readonly number[]>(doer.plan, [], (node, repeats) =>
    // The outermost first.
    node.kind === 'repeat' ? [...repeats, node.id] : repeats,
  )
  const ofSchema = remembered(shapeOfSchema)

  /**
   * What the body of a repeat gives may be made of its state, which is what the body gave before. In the body of one that is begun, its state is
   * therefore what it starts from.
   */
  const shapesIn = remembered((begunIds: string): ((expression: Expression) => Shape) => {
    const begun = new Set(begunIds === '' ? [] : begunIds.split(' ').map(Number))
    // Of those that are begun, a node knows those around it: with others it would be found afresh for each.
    const shapeAt = (id: number, more: readonly number[] = []) => {
      const known = (around.get(id) ?? []).filter((repeat) => begun.has(repeat))
      return shapesIn([...known, ...more].join(' '))
    }
    return shapesOf(doer, {
      ofSchema,
      shapeAt,
      ofRepeat: remembered(({ id, from, body }) => {
        const first = shapeAt(id)(from)
        return ofAnySize(begun.has(id) ? first : union([first, shapeAt(id, [id])(body.result)]))
      }),
    })
  })
  return shapesIn('')
}

interface Known {
  readonly ofSchema: (schema: z.ZodType) => Shape
  /** The shapes of what a node reads and gives, by its id. */
  readonly shapeAt: (id: number) => (expression: Expression) => Shape
  /** Of its state, and of what it gives. */
  readonly ofRepeat: (node: RepeatNode) => Shape
}

function shapesOf(doer: Doer, { ofSchema, shapeAt, ofRepeat }: Known): (expression: Expression) => Shape {
  const nodes = nodesById(doer.plan)

  const ofRoot = (root: Root): Shape => {
    switch (root.kind) {
      case 'input':
        return ofSchema(doer.input)
      case 'index':
        return SCALAR
      case 'failure':
        return objectOf(() => SCALAR)
      case 'item': {
        const node = nodes.get(root.id)
        return node?.kind === 'map' ? shapeAt(node.id)(node.list).item() : ABSENT
      }
      case 'state': {
        const node = nodes.get(root.id)
        return node?.kind === 'repeat' ? ofRepeat(node) : ABSENT
      }
      case 'result':
        return shapeAt(root.id) === shapeOf ? resultOf(root.id) : shapeAt(root.id)({ kind: 'root', root })
    }
  }

  const resultOf = remembered((id: number) => {
    const node = nodes.get(id)
    return node === undefined ? ABSENT : ofResult(node)
  })

  const ofResult = (node: PlanNode): Shape => {
    switch (node.kind) {
      case 'step':
        return ofSchema(node.callable.output)
      case 'map':
        return ofMap(node)
      case 'parallel':
        return objectOf((name) => {
          const branch = node.branches[name]
          return branch === undefined ? ABSENT : shapeOf(branch.result)
        })
      case 'group':
      case 'job':
        return shapeOf(node.body.result)
      case 'repeat':
        return ofRepeat(node)
      case 'choose':
      case 'recover':
        return union(
          blocksOf(node)
            .filter(hasEnd)
            .map(({ result }) => shapeOf(result)),
        )
      case 'ask':
        return ofSchema(node.answer)
      case 'emit':
      case 'wait':
      case 'fail':
        return ABSENT
    }
  }

  /** A list artifact where it maps over one. */
  const ofMap = (node: MapNode): Shape => {
    const item = () => (node.tolerate === undefined ? shapeOf(node.body.result) : settled(node))
    const { isArtifact, mostItems } = shapeOf(node.list)
    return isArtifact === true
      ? { ...objectOf(() => SCALAR), isArtifact, item: once(item) }
      : listOf(item, mostItems)
  }

  const settled = (node: MapNode): Shape => {
    const member = (ok: boolean, field: string, shape: () => Shape) =>
      objectOf((name) => {
        if (name === 'ok') return { ...SCALAR, constant: ok }
        return name === field ? shape() : ABSENT
      })
    return union([
      member(true, 'value', () => shapeOf(node.body.result)),
      member(false, 'error', () => objectOf(() => SCALAR)),
    ])
  }

  const ofOperation = ({ operation, operands }: Extract<Expression, { kind: 'operation' }>): Shape => {
    const [first = NOTHING, second = NOTHING] = operands
    if (operation === 'at') return { ...shapeOf(first).item(), mayBeAbsent: true }
    if (operation === 'orElse') return union([{ ...shapeOf(first), mayBeAbsent: false }, shapeOf(second)])
    return SCALAR
  }

  const shapeOf = (expression: Expression): Shape => {
    switch (expression.kind) {
      case 'root':
        return ofRoot(expression.root)
      case 'field':
        return shapeOf(expression.of).field(expression.name)
      case 'present': {
        const { of, tagged } = expression
        const shape = shapeOf(of)
        return { ...(tagged === undefined ? shape : memberOf(shape, tagged)), mayBeAbsent: false }
      }
      case 'operation':
        return ofOperation(expression)
      case 'literal':
        return expression.value === null ? NULL : SCALAR
      case 'list':
        return listOf(() => union(expression.items.map(shapeOf)), expression.items.length)
      case 'object':
        return objectOf((name) => {
          const field = expression.fields[name]
          return field === undefined ? ABSENT : shapeOf(field)
        })
    }
  }
  return shapeOf
}

/** One that fails gives nothing. */
const hasEnd = ({ nodes }: Block): boolean => nodes.at(-1)?.kind !== 'fail'

const NOTHING: Expression = { kind: 'literal', value: null }
