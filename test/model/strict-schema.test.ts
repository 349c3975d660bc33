import { describe, expect, it } from 'vitest'
import { strictProblem } from '../../src/model/strict-schema.ts'

const object = (properties: Record<string, unknown>, more = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const text = { type: 'string' }
const nested = (levels: number): Record<string, unknown> =>
  levels === 0 ? text : object({ a: nested(levels - 1) })

describe('a schema that keeps the strict rules', () => {
  it.each([
    ['plain fields', object({ a: text, b: { type: ['number', 'null'], minimum: 0 } })],
    ['no fields', object({})],
    [
      'a pattern and a known format',
      object({ a: { type: 'string', pattern: '^A-\\d{4}$' }, d: { type: 'string', format: 'date' } }),
    ],
    [
      'a nested union',
      object({ a: { anyOf: [object({ kind: { type: 'string', const: 'x' } }), { type: 'null' }] } }),
    ],
    ['a reference to itself', object({ children: { type: 'array', items: { $ref: '#' } } })],
    ['definitions', object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: object({ b: text }) } })],
    ['a property that is named like a keyword', object({ default: text, oneOf: text })],
  ])('may have %s', (_, schema) => {
    expect(strictProblem(schema)).toBeUndefined()
  })
})

describe('a schema that breaks a strict rule', () => {
  it.each([
    ['the root is a union', { anyOf: [object({}), object({ a: text })] }, 'the root must have type object'],
    [
      'an object is open',
      object({ a: object({}, { additionalProperties: true }) }),
      "properties.a: 'additionalProperties' must be false",
    ],
    [
      'a field is optional',
      object({ a: text, b: text }, { required: ['a'] }),
      "root: 'required' must name every property, 'b' is missing",
    ],
    [
      'an item breaks one',
      object({ a: { type: 'array', items: { type: 'object' } } }),
      "properties.a.items: 'additionalProperties' must be false",
    ],
    [
      'a definition breaks one',
      object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'object' } } }),
      "$defs.A: 'additionalProperties' must be false",
    ],
    [
      'a length is bounded',
      object({ a: { type: 'string', minLength: 2 } }),
      "properties.a: 'minLength' is not permitted",
    ],
    [
      'there is a default',
      object({ a: { type: 'number', default: 3 } }),
      "properties.a: 'default' is not permitted",
    ],
    [
      'branches exclude each other',
      object({ a: { oneOf: [text] } }),
      "properties.a: 'oneOf' is not permitted",
    ],
    [
      'keys have a form',
      object({ a: { type: 'object', propertyNames: text } }),
      "properties.a: 'propertyNames' is not permitted",
    ],
    ['anything goes', object({ a: {} }), "properties.a: schema must have a 'type' key"],
    [
      'a reference says more',
      object({ a: { $ref: '#', description: 'x' } }),
      'properties.a: $ref cannot have other keywords beside it',
    ],
    [
      'a format is unknown',
      object({ a: { type: 'string', format: 'uri' } }),
      "properties.a: format 'uri' is not supported",
    ],
    [
      'a pattern looks ahead',
      object({ a: { type: 'string', pattern: '^(?!x)' } }),
      'properties.a: a pattern cannot look around',
    ],
    [
      'it nests 11 deep',
      nested(11),
      `${Array(11).fill('properties.a').join('.')}: nests deeper than 10 levels`,
    ],
    [
      'it lists 1,001 values',
      object({ a: { type: 'number', enum: Array.from(Array(1_001).keys()) } }),
      'more than 1000 enum values',
    ],
  ])('is told apart: %s', (_, schema, problem) => {
    expect(strictProblem(schema)).toBe(problem)
  })
})
