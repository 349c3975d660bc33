import { type Arg, at, doer, eq, listArtifact, orElse, type Plan, type Ref } from 'turnwise'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Shape } from '../../src/compile/shape/shape.ts'
import { createShapes } from '../../src/compile/shape/shape-of-expression.ts'

const Line = z.object({ note: z.string().optional(), parcels: z.array(z.string()) })
const lines = listArtifact(Line)
const input = z.object({
  lines,
  described: lines.describe('The lines of the order'),
  named: lines.meta({ id: 'Lines' }),
  maybe: lines.optional(),
  nullable: lines.nullable(),
  either: z.union([lines, listArtifact(z.object({ parcels: z.array(z.number()) }))]),
  mixed: z.union([lines, z.object({ artifact: z.string(), size: z.number() })]),
  listed: z.union([lines, z.array(Line)]),
  lists: listArtifact(lines),
  plain: z.object({ artifact: z.string(), size: z.number() }),
  list: z.array(lines),
  kind: z.string(),
  noted: z.object({ note: z.string(), tags: z.array(z.string()).optional() }).optional(),
  tags: z.array(z.string()).nullable(),
})
type Input = z.output<typeof input>

/** The shape of what a plan makes of an input. */
function shapeOf(make: (input: Ref<Input>, d: Plan) => Arg<unknown>): Shape {
  const planned = doer({ name: 'd', description: 'd', input, output: z.unknown() }).plan((d, ref) =>
    make(ref, d),
  )
  return createShapes(planned)(planned.plan.result)
}
const partsOf = (item: Shape) => [item.field('parcels').isList, item.field('note').mayBeAbsent]

describe('N42 the shape of a list artifact', () => {
  it.each<[string, (input: Ref<Input>) => Arg<unknown>]>([
    ['in an object', (ref) => ref.lines],
    ['that is described', (ref) => ref.described],
    ['that has a name of its own', (ref) => ref.named],
    ['beside another, of what both items have', (ref) => ref.either],
  ])('%s says what its items are', (_, make) => {
    const shape = shapeOf(make)
    expect(shape).toMatchObject({ isArtifact: true, isList: false, mayBeAbsent: false })
    expect(partsOf(shape.item())).toEqual([true, true])
    expect(shape.field('size')).toMatchObject({ isArtifact: false, mayBeAbsent: false })
  })

  it('may be absent', () => {
    const shape = shapeOf((ref) => ref.maybe)
    expect(shape).toMatchObject({ isArtifact: true, mayBeAbsent: true })
    expect(partsOf(shape.item())).toEqual([true, true])
  })

  it('is one where it is there, when it is null in some cases', () => {
    expect(shapeOf((ref) => ref.nullable)).toMatchObject({ isArtifact: true, mayBeAbsent: false })
  })

  it.each<[string, (input: Ref<Input>) => Arg<unknown>, boolean | 'mixed']>([
    ['another object in some cases', (ref) => ref.mixed, false],
    ['a list in some cases', (ref) => ref.listed, 'mixed'],
  ])('is mixed when it is %s', (_, make, isList) => {
    expect(shapeOf(make)).toMatchObject({ isArtifact: 'mixed', isList })
  })

  it('is mixed when only some branches end with one', () => {
    const make = (ref: Ref<Input>, d: Plan): Arg<unknown> =>
      d.choose<unknown, unknown>(
        'which',
        eq(ref.kind, 'a'),
        () => ref.lines,
        () => ref.plain,
      )
    expect(shapeOf(make).isArtifact).toBe('mixed')
  })

  it('is found in the items of lists and of other artifacts', () => {
    const [inList, inArtifact] = [shapeOf((ref) => ref.list).item(), shapeOf((ref) => ref.lists).item()]
    expect([inList, inArtifact].map(({ isArtifact }) => isArtifact)).toEqual([true, true])
    expect([inList, inArtifact].map((shape) => partsOf(shape.item()))).toEqual([
      [true, true],
      [true, true],
    ])
  })

  it('is not that of an object that looks like it', () => {
    expect(shapeOf((ref) => ref.plain).isArtifact).toBe(false)
  })
})

describe('N31 the shape of a value that is not there in some cases is what it is where it is', () => {
  it.each<[string, (input: Ref<Input>) => Arg<unknown>, Partial<Shape>]>([
    ['a list or null', ({ tags }) => tags, { isList: true, mayBeAbsent: false }],
    ['a list or null, or else another', ({ tags }) => orElse(tags, []), { isList: true }],
    [
      'a field of an object, or else of one without it',
      ({ noted }) => orElse(noted, { note: 'none' }).tags,
      { isList: true, mayBeAbsent: true },
    ],
    ['null alone', () => null, { isList: false, mayBeAbsent: false, isNothing: true }],
  ])('%s', (_, make, expected) => {
    expect(shapeOf(make)).toMatchObject(expected)
  })

  it('an item of a list or an empty one is there', () => {
    expect(shapeOf(({ tags }) => orElse(tags, [])).item()).toMatchObject({ mayBeAbsent: false })
    expect(shapeOf(({ tags }) => at(orElse(tags, []), 0))).toMatchObject({ mayBeAbsent: true })
  })
})
