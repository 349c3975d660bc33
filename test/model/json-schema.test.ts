import { listArtifact } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as oldZod from 'zod/v3'
import { DefinitionError } from '../../src/core/errors.ts'
import { answerSchema, inputSchema } from '../../src/model/json-schema.ts'
import { strictProblem } from '../../src/model/strict-schema.ts'

const tool = (input: z.ZodObject) => inputSchema({ kind: 'tool', name: 'probe', input })
const thinker = (output: z.ZodType) => answerSchema({ kind: 'thinker', name: 'probe', output })

describe("a tool's input as JSON schema", () => {
  it('is what the model writes: transforms are left out, fields with defaults may be missing', () => {
    const input = z.object({
      a: z.string().min(2).describe('the first'),
      b: z.string().transform(Number),
      c: z.number().default(3),
    })
    expect(tool(input)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 2, description: 'the first' },
        b: { type: 'string' },
        c: { type: 'number', default: 3 },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    })
  })

  it('is closed where zod drops unknown keys, and open where it keeps them', () => {
    const schema = tool(
      z.object({ closed: z.object({}), open: z.looseObject({}), texts: z.object({}).catchall(z.string()) }),
    )
    expect(schema.properties).toEqual({
      closed: { type: 'object', properties: {}, additionalProperties: false },
      open: { type: 'object', properties: {}, additionalProperties: {} },
      texts: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    })
  })

  it('is strict for plain fields', () => {
    const input = z.object({
      orderNumber: z.string().regex(/^A-\d{4}$/),
      reason: z.enum(['late', 'broken']),
      count: z.int(),
    })
    expect(strictProblem(tool(input))).toBeUndefined()
  })

  it('has no propertyNames for a map from text, which reaches the tool as it is', () => {
    expect(tool(z.object({ headers: z.record(z.string(), z.string()) })).properties).toEqual({
      headers: { type: 'object', additionalProperties: { type: 'string' } },
    })
  })

  it('says nothing about keys beside a reference, where it would forbid all of them', () => {
    const named = z.object({ x: z.string() }).meta({ id: 'Named' })
    expect(tool(z.object({ a: named, b: named.describe('again') }))).toMatchObject({
      properties: { a: { $ref: '#/$defs/Named' }, b: { $ref: '#/$defs/Named', description: 'again' } },
      $defs: { Named: { type: 'object', additionalProperties: false } },
    })
    expect(tool(z.object({ b: named.describe('again') })).properties).not.toHaveProperty(
      'b.additionalProperties',
    )
  })

  it('is closed as a whole where it joins two objects', () => {
    const both = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))
    expect(tool(z.object({ both })).properties).toMatchObject({
      both: { properties: { a: {}, b: {} }, required: ['a', 'b'], additionalProperties: false },
    })
  })

  it('refers to itself where a type does', () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node)
      },
    })
    expect(tool(node).properties).toMatchObject({ children: { type: 'array', items: { $ref: '#' } } })
    expect(strictProblem(tool(node))).toBeUndefined()
  })

  it.each([
    ['z.date', z.object({ a: z.array(z.object({ when: z.date() })) }), '.a.items.when: a date'],
    ['z.bigint', z.object({ a: z.bigint() }), '.a: a bigint'],
    ['a bigint literal', z.object({ a: z.literal(1n) }), '.a: a bigint'],
    ['z.map', z.object({ a: z.map(z.string(), z.string()) }), '.a: a map'],
    ['a class', z.object({ a: z.instanceof(URL) }), '.a: a custom'],
    [
      'a map with numbers as keys',
      z.object({ a: z.record(z.number(), z.string()) }),
      '.a: the keys of a record',
    ],
    [
      'a map with listed keys',
      z.object({ a: z.record(z.enum(['x', 'y']), z.string()) }),
      '.a: the keys of a record',
    ],
  ])('is refused with %s, naming the tool and the path', (_, input, place) => {
    expect(() => tool(input)).toThrow(DefinitionError)
    expect(() => tool(input)).toThrow(`tool "probe": input${place}`)
  })

  it('is refused when a part comes from another zod, saying so', () => {
    const foreign = z.object({ a: oldZod.string() as unknown as z.ZodString })
    expect(() => tool(foreign)).toThrow(DefinitionError)
    expect(() => tool(foreign)).toThrow(/tool "probe": input .*zod 4/)
  })
})

describe("a thinker's answer as JSON schema", () => {
  it('has every field with a default written, without the keyword that strict schemas refuse', () => {
    const schema = thinker(z.object({ a: z.string().default('x'), b: z.string().nullable() }))
    expect(schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    })
    expect(strictProblem(schema)).toBeUndefined()
  })

  it('has the branches of a discriminated union as anyOf, and those of an exclusive one as they are', () => {
    const result = z.discriminatedUnion('status', [
      z.object({ status: z.literal('ok') }),
      z.object({ status: z.literal('no') }),
    ])
    const schema = thinker(z.object({ result, either: z.xor([z.string(), z.number()]) }))
    expect(schema.properties).toMatchObject({
      result: { anyOf: [{ type: 'object' }, { type: 'object' }] },
      either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    })
  })

  it.each([
    [
      'a union',
      z.discriminatedUnion('s', [z.object({ s: z.literal('a') }), z.object({ s: z.literal('b') })]),
    ],
    ['a text', z.string()],
    ['a list', z.array(z.string())],
  ])('is refused when it is %s, since providers take only objects', (_, output) => {
    expect(() => thinker(output)).toThrow(DefinitionError)
    expect(() => thinker(output)).toThrow('thinker "probe": output: an answer is an object')
  })

  it.each([
    ['a transform', z.object({ a: z.string().transform(Number) })],
    ['a codec', z.object({ a: z.codec(z.string(), z.number(), { decode: Number, encode: String }) })],
    ['a text that stands for a boolean', z.object({ a: z.stringbool() })],
  ])('is refused with %s, since the model writes what the schema parses', (_, output) => {
    expect(() => thinker(output)).toThrow('thinker "probe": output.a: an answer cannot be transformed')
  })
})

describe('N42 a list artifact as JSON schema', () => {
  const Items = z.object({ at: z.date() })
  const agent = { kind: 'thinker', name: 'probe' } as const

  it('is a plain strict object, in what a thinker takes and answers; of its items nothing is said', () => {
    const reference = (description: string) => ({
      type: 'object',
      description,
      properties: {
        artifact: { type: 'string', pattern: '^[0-9a-f]{32}$' },
        size: { type: 'integer', minimum: 0, maximum: 100_000 },
      },
      required: ['artifact', 'size'],
      additionalProperties: false,
    })
    const usual = 'Stands for a list that is kept elsewhere; pass it on unchanged'
    const fields = z.object({ a: listArtifact(Items), b: listArtifact(Items).describe('The orders') })
    for (const schema of [
      inputSchema({ ...agent, input: fields }),
      answerSchema({ ...agent, output: fields }),
    ]) {
      expect(schema.properties).toEqual({ a: reference(usual), b: reference('The orders') })
      expect(strictProblem(schema)).toBeUndefined()
    }
  })

  it('may be a whole answer', () => {
    const schema = answerSchema({ ...agent, output: listArtifact(Items) })
    expect(strictProblem(schema)).toBeUndefined()
  })
})
