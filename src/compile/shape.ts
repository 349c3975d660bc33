import * as z from 'zod'
import type { Doer } from '../core/doer.ts'
import type { PlanStep } from '../core/doer-plan.ts'
import type { Expression, Root } from '../core/expression.ts'

/** What is known before a run about a value of it. */
export interface Shape {
  /** `mixed`: a list in some members of a union. */
  readonly isList: boolean | 'mixed'
  readonly mayBeAbsent: boolean
  field(name: string): Shape
  item(): Shape
}

/** Tells the shape of each expression of a doer, from the schemas of what its paths start from. */
export function createShapes(doer: Doer): (expression: Expression) => Shape {
  const steps = new Map<number, PlanStep>()
  for (const step of doer.plan.steps) {
    steps.set(step.number, step)
    if (step.kind === 'map') for (const inner of step.steps) steps.set(inner.number, inner)
  }

  const known = new Map<z.ZodType, Shape>()
  const shapeOfSchema = (schema: z.ZodType): Shape => {
    const shape = known.get(schema) ?? ofSchema(schema)
    known.set(schema, shape)
    return shape
  }

  const ofRoot = (root: Root): Shape => {
    if (root.kind === 'input') return shapeOfSchema(doer.input)
    if (root.kind === 'index') return SCALAR
    const step = steps.get(root.number)
    if (step === undefined) return SCALAR
    if (step.kind === 'step') return shapeOfSchema(step.callable.output)
    return root.kind === 'item' ? shapeOf(step.list).item() : listOf(() => shapeOf(step.result))
  }

  const shapeOf = (expression: Expression): Shape => {
    switch (expression.kind) {
      case 'path':
        return expression.path.reduce((shape, name) => shape.field(name), ofRoot(expression.root))
      case 'literal':
        return SCALAR
      case 'list':
        return listOf(() => union(expression.items.map(shapeOf)))
      case 'object':
        return objectOf((name) => {
          const field = expression.fields[name]
          return field === undefined ? ABSENT : shapeOf(field)
        })
    }
  }
  return shapeOf
}

const SCALAR: Shape = { isList: false, mayBeAbsent: false, field: () => ABSENT, item: () => ABSENT }
const ABSENT: Shape = { ...SCALAR, mayBeAbsent: true }

function listOf(item: () => Shape): Shape {
  return { ...SCALAR, isList: true, field: () => SCALAR, item }
}

function objectOf(field: (name: string) => Shape): Shape {
  return { ...SCALAR, field }
}

function union(members: readonly Shape[]): Shape {
  if (members.length === 0) return ABSENT
  const every = members.every(({ isList }) => isList === true)
  const some = members.some(({ isList }) => isList !== false)
  return {
    isList: every ? true : some ? 'mixed' : false,
    mayBeAbsent: members.some(({ mayBeAbsent }) => mayBeAbsent),
    field: (name) => union(members.map((member) => member.field(name))),
    item: () => union(members.map((member) => member.item())),
  }
}

type JsonSchema = z.core.JSONSchema.BaseSchema | boolean

/**
 * Reads the JSON Schema of what a zod schema parses to; values that JSON Schema cannot say have no known
 * parts.
 */
function ofSchema(schema: z.ZodType): Shape {
  const whole = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return ofJsonSchema(whole, whole)
}

function ofJsonSchema(schema: JsonSchema | undefined, whole: z.core.JSONSchema.BaseSchema): Shape {
  if (typeof schema !== 'object') return ABSENT
  if (schema.$ref !== undefined) return ofJsonSchema(resolve(schema.$ref, whole), whole)
  const members = schema.anyOf ?? schema.oneOf
  if (members !== undefined) return union(members.map((member) => ofJsonSchema(member, whole)))
  if (schema.type === 'array') {
    const { items } = schema
    return listOf(() => (Array.isArray(items) ? ABSENT : ofJsonSchema(items, whole)))
  }
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
