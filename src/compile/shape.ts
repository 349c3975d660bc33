import * as z from 'zod'
import { itemSchemaOf } from '../core/artifact.ts'
import type { Doer } from '../core/doer.ts'
import {
  type Block,
  blocksOf,
  type MapNode,
  nodesOf,
  type PlanNode,
  type RepeatNode,
} from '../core/doer-plan.ts'
import type { Expression, Root } from '../core/expression.ts'
import { once, remembered } from './remembered.ts'

/** What is known before a run about a value of it. */
export interface Shape {
  /** `mixed`: a list in some members of a union. */
  readonly isList: boolean | 'mixed'
  /** It is a reference to a list that is kept as an artifact. `mixed`: in some members of a union. */
  readonly isArtifact: boolean | 'mixed'
  readonly mayBeAbsent: boolean
  /** Of a value that can be told before a run. */
  readonly constant?: unknown
  /** What it may be one of. */
  readonly members?: readonly Shape[]
  /** Where it stands, there is null or no value at all: it says nothing about what else may stand there. */
  readonly isNothing: boolean
  /** Of a list: how many items it may have, where that is known. */
  readonly mostItems?: number | undefined
  field(name: string): Shape
  /** Of an item of the list, or of the list that the artifact stands for. */
  item(): Shape
}

/** Tells the shape of each expression of a doer, from the schemas of what it starts from. */
export function createShapes(doer: Doer): (expression: Expression) => Shape {
  const around = repeatsAround(doer.plan)
  const shapeOfSchema = remembered(ofSchema)

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
      shapeOfSchema,
      shapeAt,
      ofRepeat: remembered(({ id, from, body }) => {
        const first = shapeAt(id)(from)
        return ofAnySize(begun.has(id) ? first : union([first, shapeAt(id, [id])(body.result)]))
      }),
    })
  })
  return shapesIn('')
}

/** By the id of each node, the ids of the repeats around it, the outermost first. */
function repeatsAround(
  block: Block,
  repeats: readonly number[] = [],
): ReadonlyMap<number, readonly number[]> {
  const found = block.nodes.flatMap((node): (readonly [number, readonly number[]])[] => {
    const inside = node.kind === 'repeat' ? [...repeats, node.id] : repeats
    return [[node.id, repeats], ...blocksOf(node).flatMap((inner) => [...repeatsAround(inner, inside)])]
  })
  return new Map(found)
}

interface Known {
  readonly shapeOfSchema: (schema: z.ZodType) => Shape
  /** The shapes of what a node reads and gives, by its id. */
  readonly shapeAt: (id: number) => (expression: Expression) => Shape
  /** Of its state, and of what it gives. */
  readonly ofRepeat: (node: RepeatNode) => Shape
}

function shapesOf(
  doer: Doer,
  { shapeOfSchema, shapeAt, ofRepeat }: Known,
): (expression: Expression) => Shape {
  const nodes = new Map(nodesOf(doer.plan).map((node) => [node.id, node]))

  const ofRoot = (root: Root): Shape => {
    switch (root.kind) {
      case 'input':
        return shapeOfSchema(doer.input)
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
        return shapeOfSchema(node.callable.output)
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
        return shapeOfSchema(node.answer)
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

  const settled = (node: MapNode): Shape =>
    objectOf((name) => {
      const value = shapeOf(node.body.result)
      if (name === 'value') return { ...value, mayBeAbsent: true }
      return name === 'error' ? { ...objectOf(() => SCALAR), mayBeAbsent: true } : SCALAR
    })

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

const SCALAR: Shape = {
  isList: false,
  isArtifact: false,
  mayBeAbsent: false,
  isNothing: false,
  field: () => ABSENT,
  item: () => ABSENT,
}
const NULL: Shape = { ...SCALAR, isNothing: true }
const ABSENT: Shape = { ...NULL, mayBeAbsent: true }

/** JSON has a value in each place of a list. */
function listOf(item: () => Shape, mostItems?: number): Shape {
  const present = (): Shape => ({ ...item(), mayBeAbsent: false })
  return { ...SCALAR, isList: true, mostItems, field: () => SCALAR, item: once(present) }
}

/** What a repeat comes to has lists that may have become longer with each time. */
function ofAnySize(shape: Shape): Shape {
  return {
    ...shape,
    mostItems: undefined,
    field: remembered((name) => ofAnySize(shape.field(name))),
    item: once(() => ofAnySize(shape.item())),
  }
}

function objectOf(field: (name: string) => Shape): Shape {
  return { ...SCALAR, field: remembered(field) }
}

function union(members: readonly Shape[]): Shape {
  const mayBeAbsent = members.length === 0 || members.some((member) => member.mayBeAbsent)
  const values = members.filter(({ isNothing }) => !isNothing)
  if (values.length === 0) return { ...NULL, mayBeAbsent }
  return {
    members: values,
    isList: inAll(values.map(({ isList }) => isList)),
    isArtifact: inAll(values.map(({ isArtifact }) => isArtifact)),
    mayBeAbsent,
    isNothing: false,
    mostItems: largest(values.filter(({ isList }) => isList !== false).map(({ mostItems }) => mostItems)),
    field: remembered((name) => union(values.map((value) => value.field(name)))),
    item: once(() => union(values.map((value) => value.item()))),
  }
}

/** What of a union has this value at its tag. */
function memberOf(shape: Shape, { tag, value }: { readonly tag: string; readonly value: string }): Shape {
  if (shape.members === undefined) return shape
  const members = shape.members.map((member) => memberOf(member, { tag, value }))
  const mayHave = ({ constant, mayBeAbsent }: Shape) =>
    constant === undefined ? !mayBeAbsent : constant === value
  return union(members.filter((member) => mayHave(member.field(tag))))
}

/** Undefined where one of them has no bound, or there is none. */
function largest(bounds: readonly (number | undefined)[]): number | undefined {
  return bounds.reduce((most, bound, index) => {
    if (index === 0 || bound === undefined) return bound
    return most === undefined ? undefined : Math.max(most, bound)
  }, undefined)
}

function inAll(members: readonly (boolean | 'mixed')[]): boolean | 'mixed' {
  if (members.every((member) => member === true)) return true
  return members.some((member) => member !== false) ? 'mixed' : false
}

type JsonSchema = z.core.JSONSchema.BaseSchema | boolean

/** In a JSON Schema that is read here: which of the artifacts in it this is. */
const ARTIFACT = 'x-turnwise-artifact'

/** A JSON Schema, and the schemas of the items of the artifacts in it. */
interface Whole {
  readonly json: z.core.JSONSchema.BaseSchema
  readonly items: readonly z.ZodType[]
}

/**
 * Reads the JSON Schema of what a zod schema parses to; values that JSON Schema cannot say have no known
 * parts.
 */
function ofSchema(schema: z.ZodType): Shape {
  const items: z.ZodType[] = []
  const json = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const item = itemSchemaOf(zodSchema)
      // What wraps this schema, such as `optional`, is given its keywords by zod.
      if (item) jsonSchema[ARTIFACT] = items.push(item) - 1
    },
  })
  return ofJsonSchema(json, { json, items })
}

function ofJsonSchema(schema: JsonSchema | undefined, whole: Whole): Shape {
  if (typeof schema !== 'object') return ABSENT
  if (schema.$ref !== undefined) return ofJsonSchema(resolve(schema.$ref, whole.json), whole)
  const members = schema.anyOf ?? schema.oneOf
  if (members !== undefined) return union(members.map((member) => ofJsonSchema(member, whole)))
  if (schema.type === 'null') return NULL
  if (schema.type === 'array') {
    const { items } = schema
    return listOf(() => (Array.isArray(items) ? ABSENT : ofJsonSchema(items, whole)), schema.maxItems)
  }
  if (schema.const !== undefined) return { ...SCALAR, constant: schema.const }
  const object = ofObject(schema, whole)
  const item = whole.items[Number(schema[ARTIFACT])]
  return item === undefined ? object : { ...object, isArtifact: true, item: () => ofSchema(item) }
}

function ofObject(schema: z.core.JSONSchema.BaseSchema, whole: Whole): Shape {
  const parts = schema.allOf ?? []
  return objectOf((name) => {
    const part = parts.find((candidate) => hasField(candidate, name))
    if (part !== undefined) return ofJsonSchema(part, whole).field(name)
    const shape = ofJsonSchema(schema.properties?.[name], whole)
    return schema.required?.includes(name) ? shape : { ...shape, mayBeAbsent: true }
  })
}

function hasField(schema: JsonSchema, name: string): boolean {
  return typeof schema === 'object' && schema.properties?.[name] !== undefined
}

/** References inside one schema are `#` and `#/$defs/NAME`. */
function resolve(reference: string, whole: z.core.JSONSchema.BaseSchema): JsonSchema | undefined {
  return reference === '#' ? whole : whole.$defs?.[reference.replace('#/$defs/', '')]
}
